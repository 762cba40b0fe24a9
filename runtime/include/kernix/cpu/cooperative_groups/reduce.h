// kernix/cpu/cooperative_groups/reduce.h - reduce over the threads of a tile or a coalesced group.
//
// In a tree of fixed shape: the same input gives the same bits, which need not be those of a GPU.
#ifndef KERNIX_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define KERNIX_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define KERNIX_CPU_OPERATION(name, expression)                                                                         \
  template <class T = void> struct name {                                                                              \
    __host__ __device__ T operator()(T a, T b) const { return expression; }                                            \
  };                                                                                                                   \
  template <> struct name<void> {                                                                                      \
    template <class T> __host__ __device__ T operator()(T a, T b) const { return expression; }                         \
  };
KERNIX_CPU_OPERATION(plus, a + b)
KERNIX_CPU_OPERATION(less, b < a ? b : a)
KERNIX_CPU_OPERATION(greater, a < b ? b : a)
KERNIX_CPU_OPERATION(bit_and, a &b)
KERNIX_CPU_OPERATION(bit_or, a | b)
KERNIX_CPU_OPERATION(bit_xor, a ^ b)
#undef KERNIX_CPU_OPERATION

template <class Group, class T, class Operation>
KERNIX_CPU_ONLY_DEVICE auto reduce(const Group &group, T value, Operation operation)
    -> decltype(group.kernix_lanes(), operation(value, value)) {
  unsigned lanes = kernix_cpu_warp_ballot(group.kernix_lanes(), 1);
  int rank = __builtin_popcount(lanes & kernix_cpu_warp::lanes_below(kernix_cpu_warp::lane()));
  int count = __builtin_popcount(lanes);
  for (int distance = 1; distance < count; distance *= 2) {
    int source = kernix_cpu_warp::nth_lane(lanes, rank + distance);
    T other = kernix_detail::read_lane(lanes, value, source < 0 ? kernix_cpu_warp::lane() : source);
    if (source >= 0)
      value = operation(value, other);
  }
  return kernix_detail::read_lane(lanes, value, __builtin_ctz(lanes));
}

} // namespace cooperative_groups

#endif
