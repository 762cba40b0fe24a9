// kernix/cpu/warp_functions.h - shuffles, votes, matches and reductions of a warp.
//
// Lanes outside `mask` may not call these, and reading a lane outside it is undefined, as in CUDA; the runtime gives
// such a read the reader's own value.
#ifndef KERNIX_CPU_WARP_FUNCTIONS_H
#define KERNIX_CPU_WARP_FUNCTIONS_H

#include "device_runtime.h"
#include "keywords.h"

namespace kernix_cpu_warp {

KERNIX_CPU_ONLY_DEVICE int lane() {
  unsigned thread =
      kernix_cpu_thread_idx_x() +
      kernix_cpu_block_dim_x() * (kernix_cpu_thread_idx_y() + kernix_cpu_block_dim_y() * kernix_cpu_thread_idx_z());
  return static_cast<int>(thread & 31u);
}

// The value of lane `source`, for any type of at most eight bytes.
template <class T> KERNIX_CPU_ONLY_DEVICE T read_lane(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= sizeof(__UINT64_TYPE__));
  __UINT64_TYPE__ bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = kernix_cpu_warp_shuffle(mask, bits, source);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T> KERNIX_CPU_ONLY_DEVICE unsigned match_any(unsigned mask, T value) {
  __UINT64_TYPE__ bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return kernix_cpu_warp_match(mask, bits);
}

// The source lanes of PTX's shfl: `width` cuts the warp into segments of the lanes that agree in the bits 32 - width,
// only the low five bits of the operand count, and a lane outside the segment means the caller's own.
KERNIX_CPU_ONLY_DEVICE int source_idx(int source, int width) {
  int segment = 32 - width;
  return (lane() & segment) | (source & 31 & ~segment);
}
KERNIX_CPU_ONLY_DEVICE int source_up(unsigned delta, int width) {
  int own = lane(), source = own - static_cast<int>(delta & 31u);
  return source >= (own & (32 - width)) ? source : own;
}
KERNIX_CPU_ONLY_DEVICE int source_down(unsigned delta, int width) {
  int own = lane(), segment = 32 - width, source = own + static_cast<int>(delta & 31u);
  return source <= ((own & segment) | (31 & ~segment)) ? source : own;
}
KERNIX_CPU_ONLY_DEVICE int source_xor(int lane_mask, int width) {
  int own = lane(), segment = 32 - width, source = own ^ (lane_mask & 31);
  return source <= ((own & segment) | (31 & ~segment)) ? source : own;
}

KERNIX_CPU_ONLY_DEVICE unsigned lanes_below(int lane) { return (1u << lane) - 1u; }

// Lane of the bit number `rank` of `lanes`, or -1.
KERNIX_CPU_ONLY_DEVICE int nth_lane(unsigned lanes, int rank) {
  for (; rank > 0 && lanes != 0; --rank)
    lanes &= lanes - 1;
  return lanes == 0 ? -1 : __builtin_ctz(lanes);
}

// Combines the values of all lanes of `mask`, in a tree of fixed shape, and gives the result to each of them.
template <class T, class Operation> KERNIX_CPU_ONLY_DEVICE T reduce(unsigned mask, T value, Operation operation) {
  unsigned lanes = kernix_cpu_warp_ballot(mask, 1);
  int rank = __builtin_popcount(lanes & lanes_below(lane()));
  int count = __builtin_popcount(lanes);
  for (int distance = 1; distance < count; distance *= 2) {
    int source = nth_lane(lanes, rank + distance);
    T other = read_lane(mask, value, source < 0 ? lane() : source);
    if (source >= 0)
      value = operation(value, other);
  }
  return read_lane(mask, value, __builtin_ctz(lanes));
}

} // namespace kernix_cpu_warp

#define KERNIX_CPU_SHUFFLES(type)                                                                                      \
  KERNIX_CPU_ONLY_DEVICE type __shfl_sync(unsigned mask, type value, int source, int width = 32) {                     \
    return kernix_cpu_warp::read_lane(mask, value, kernix_cpu_warp::source_idx(source, width));                        \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type __shfl_up_sync(unsigned mask, type value, unsigned delta, int width = 32) {              \
    return kernix_cpu_warp::read_lane(mask, value, kernix_cpu_warp::source_up(delta, width));                          \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type __shfl_down_sync(unsigned mask, type value, unsigned delta, int width = 32) {            \
    return kernix_cpu_warp::read_lane(mask, value, kernix_cpu_warp::source_down(delta, width));                        \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type __shfl_xor_sync(unsigned mask, type value, int lane_mask, int width = 32) {              \
    return kernix_cpu_warp::read_lane(mask, value, kernix_cpu_warp::source_xor(lane_mask, width));                     \
  }

#define KERNIX_CPU_MATCHES(type)                                                                                       \
  KERNIX_CPU_ONLY_DEVICE unsigned __match_any_sync(unsigned mask, type value) {                                        \
    return kernix_cpu_warp::match_any(mask, value);                                                                    \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __match_all_sync(unsigned mask, type value, int *all_equal) {                        \
    unsigned present = kernix_cpu_warp_ballot(mask, 1);                                                                \
    int is_equal = kernix_cpu_warp::match_any(mask, value) == present;                                                 \
    *all_equal = kernix_cpu_warp_ballot(mask, is_equal) == present;                                                    \
    return *all_equal ? present : 0u;                                                                                  \
  }

#define KERNIX_CPU_WARP_TYPES(apply)                                                                                   \
  apply(int) apply(unsigned int) apply(long) apply(unsigned long) apply(long long) apply(unsigned long long)           \
      apply(float) apply(double)
KERNIX_CPU_WARP_TYPES(KERNIX_CPU_SHUFFLES)
KERNIX_CPU_WARP_TYPES(KERNIX_CPU_MATCHES)
#undef KERNIX_CPU_WARP_TYPES
#undef KERNIX_CPU_MATCHES

KERNIX_CPU_ONLY_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { kernix_cpu_warp_sync(mask); }
KERNIX_CPU_ONLY_DEVICE unsigned __activemask() { return kernix_cpu_active_mask(); }
KERNIX_CPU_ONLY_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  return kernix_cpu_warp_ballot(mask, predicate);
}
KERNIX_CPU_ONLY_DEVICE int __any_sync(unsigned mask, int predicate) {
  return kernix_cpu_warp_ballot(mask, predicate) != 0;
}
KERNIX_CPU_ONLY_DEVICE int __all_sync(unsigned mask, int predicate) {
  return kernix_cpu_warp_ballot(mask, predicate == 0) == 0;
}
KERNIX_CPU_ONLY_DEVICE int __uni_sync(unsigned mask, int predicate) {
  unsigned votes = kernix_cpu_warp_ballot(mask, predicate);
  return votes == 0 || votes == kernix_cpu_warp_ballot(mask, 1);
}

// Position of the bit number |offset| of mask, counted from bit `base`, upwards or downwards.
KERNIX_CPU_ONLY_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0)
    return base < 32u && (mask >> base & 1u) != 0u ? base : 0xffffffffu;
  int step = offset > 0 ? 1 : -1;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1u) != 0u && (offset -= step) == 0)
      return static_cast<unsigned>(bit);
  return 0xffffffffu;
}

#define KERNIX_CPU_REDUCTION(name, type, expression)                                                                   \
  KERNIX_CPU_ONLY_DEVICE type __reduce_##name##_sync(unsigned mask, type value) {                                      \
    return kernix_cpu_warp::reduce(mask, value, [](type a, type b) -> type { return expression; });                    \
  }
KERNIX_CPU_REDUCTION(add, unsigned, a + b)
KERNIX_CPU_REDUCTION(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
KERNIX_CPU_REDUCTION(min, unsigned, b < a ? b : a)
KERNIX_CPU_REDUCTION(min, int, b < a ? b : a)
KERNIX_CPU_REDUCTION(max, unsigned, b > a ? b : a)
KERNIX_CPU_REDUCTION(max, int, b > a ? b : a)
KERNIX_CPU_REDUCTION(and, unsigned, a &b)
KERNIX_CPU_REDUCTION(or, unsigned, a | b)
KERNIX_CPU_REDUCTION(xor, unsigned, a ^ b)
#undef KERNIX_CPU_REDUCTION

#endif
