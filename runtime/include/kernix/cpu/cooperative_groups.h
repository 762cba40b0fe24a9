// kernix/cpu/cooperative_groups.h - thread_block, thread_block_tile, coalesced_group, thread_group, grid_group.
//
// Not here: groups of more than one block or of more than a warp but less than a block (clusters, tiles above 32, multi
// grids), and waiting for the whole grid, which the blocks of a CPU launch cannot do. reduce, scan and memcpy_async are
// in headers of their own, as in CUDA.
#ifndef KERNIX_CPU_COOPERATIVE_GROUPS_H
#define KERNIX_CPU_COOPERATIVE_GROUPS_H

#include "language.h"

#include "../hide_macros.h"

namespace cooperative_groups {

namespace kernix_detail {

KERNIX_CPU_ONLY_DEVICE unsigned block_rank() {
  return kernix_cpu_thread_idx_x() +
         kernix_cpu_block_dim_x() * (kernix_cpu_thread_idx_y() + kernix_cpu_block_dim_y() * kernix_cpu_thread_idx_z());
}
KERNIX_CPU_ONLY_DEVICE unsigned block_size() {
  return kernix_cpu_block_dim_x() * kernix_cpu_block_dim_y() * kernix_cpu_block_dim_z();
}

// Numbers go through CUDA's own functions, of which derivatives are known, and small integers as int.
template <class T>
inline constexpr bool is_number = __is_same(T, float) || __is_same(T, double) ||
                                  (__is_integral(T) && sizeof(T) >= sizeof(int) && sizeof(T) <= sizeof(long));
template <class T> inline constexpr bool is_small_integer = __is_integral(T) && sizeof(T) < sizeof(int);

// Eight bytes at a time, so that structures travel too.
template <class T> KERNIX_CPU_ONLY_DEVICE T read_lane(unsigned mask, const T &value, int source) {
  static_assert(__is_trivially_copyable(T), "only trivially copyable values travel between threads");
  if constexpr (is_number<T>)
    return __shfl_sync(mask, value, source, 32);
  else if constexpr (is_small_integer<T>)
    return static_cast<T>(__shfl_sync(mask, static_cast<int>(value), source, 32));
  T result = value;
  for (__SIZE_TYPE__ at = 0; at < sizeof(T); at += sizeof(__UINT64_TYPE__)) {
    __SIZE_TYPE__ size = sizeof(T) - at < sizeof(__UINT64_TYPE__) ? sizeof(T) - at : sizeof(__UINT64_TYPE__);
    __UINT64_TYPE__ bits = 0;
    __builtin_memcpy(&bits, reinterpret_cast<const char *>(&value) + at, size);
    bits = kernix_cpu_warp_shuffle(mask, bits, source);
    __builtin_memcpy(reinterpret_cast<char *>(&result) + at, &bits, size);
  }
  return result;
}

} // namespace kernix_detail

// ---- Groups of lanes of one warp: what tiles and coalesced groups share ----

namespace kernix_detail {

// A set of lanes. `ranks` run over its lanes in ascending order.
class LaneGroup {
public:
  KERNIX_CPU_ONLY_DEVICE void sync() const { kernix_cpu_warp_sync(lanes_); }
  KERNIX_CPU_ONLY_DEVICE unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(lanes_ & kernix_cpu_warp::lanes_below(kernix_cpu_warp::lane())));
  }
  KERNIX_CPU_ONLY_DEVICE unsigned size() const { return static_cast<unsigned>(__builtin_popcount(lanes_)); }
  KERNIX_CPU_ONLY_DEVICE unsigned num_threads() const { return size(); }
  KERNIX_CPU_ONLY_DEVICE unsigned meta_group_rank() const { return meta_rank_; }
  KERNIX_CPU_ONLY_DEVICE unsigned meta_group_size() const { return meta_size_; }

  KERNIX_CPU_ONLY_DEVICE int any(int predicate) const { return __any_sync(lanes_, predicate); }
  KERNIX_CPU_ONLY_DEVICE int all(int predicate) const { return __all_sync(lanes_, predicate); }
  KERNIX_CPU_ONLY_DEVICE unsigned ballot(int predicate) const { return pack(__ballot_sync(lanes_, predicate)); }
  template <class T> KERNIX_CPU_ONLY_DEVICE unsigned match_any(T value) const {
    return pack(kernix_cpu_warp::match_any(lanes_, value));
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE unsigned match_all(T value, int &all_equal) const {
    unsigned equal = kernix_cpu_warp::match_any(lanes_, value);
    all_equal = equal == kernix_cpu_warp_ballot(lanes_, 1);
    return all_equal ? pack(equal) : 0u;
  }

  // kernix's own.
  KERNIX_CPU_ONLY_DEVICE unsigned kernix_lanes() const { return lanes_; }
  // The value of the thread of that rank, the caller's own if there is none.
  template <class T> KERNIX_CPU_ONLY_DEVICE T kernix_read(const T &value, int rank) const {
    int source = rank < 0 ? -1 : kernix_cpu_warp::nth_lane(lanes_, rank);
    return read_lane(lanes_, value, source < 0 ? kernix_cpu_warp::lane() : source);
  }

protected:
  KERNIX_CPU_ONLY_DEVICE LaneGroup(unsigned lanes, unsigned meta_rank, unsigned meta_size)
      : lanes_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

  // Bit per rank from bit per lane.
  KERNIX_CPU_ONLY_DEVICE unsigned pack(unsigned lane_bits) const {
    unsigned packed = 0;
    int rank = 0;
    for (unsigned rest = lanes_; rest != 0; rest &= rest - 1, ++rank)
      packed |= (lane_bits >> __builtin_ctz(rest) & 1u) << rank;
    return packed;
  }

  unsigned lanes_, meta_rank_, meta_size_;
};

} // namespace kernix_detail

// ---- The block ----

class thread_block {
public:
  KERNIX_CPU_ONLY_DEVICE static void sync() { kernix_cpu_barrier(); }
  KERNIX_CPU_ONLY_DEVICE static unsigned thread_rank() { return kernix_detail::block_rank(); }
  KERNIX_CPU_ONLY_DEVICE static unsigned size() { return kernix_detail::block_size(); }
  KERNIX_CPU_ONLY_DEVICE static unsigned num_threads() { return kernix_detail::block_size(); }
  KERNIX_CPU_ONLY_DEVICE static dim3 group_index() { return blockIdx; }
  KERNIX_CPU_ONLY_DEVICE static dim3 thread_index() { return threadIdx; }
  KERNIX_CPU_ONLY_DEVICE static dim3 group_dim() { return blockDim; }
  KERNIX_CPU_ONLY_DEVICE static dim3 dim_threads() { return blockDim; }
};
KERNIX_CPU_ONLY_DEVICE thread_block this_thread_block() { return {}; }

// ---- The grid ----

class grid_group {
public:
  KERNIX_CPU_ONLY_DEVICE static bool is_valid() { return false; }
  __attribute__((unavailable("kernix: the CPU target cannot wait for the whole grid; split the kernel in two"))) //
  __device__ void sync() const;
  KERNIX_CPU_ONLY_DEVICE static unsigned long long num_blocks() {
    return 1ull * kernix_cpu_grid_dim_x() * kernix_cpu_grid_dim_y() * kernix_cpu_grid_dim_z();
  }
  KERNIX_CPU_ONLY_DEVICE static unsigned long long block_rank() {
    return kernix_cpu_block_idx_x() +
           1ull * kernix_cpu_grid_dim_x() *
               (kernix_cpu_block_idx_y() + 1ull * kernix_cpu_grid_dim_y() * kernix_cpu_block_idx_z());
  }
  KERNIX_CPU_ONLY_DEVICE static unsigned long long thread_rank() {
    return block_rank() * kernix_detail::block_size() + kernix_detail::block_rank();
  }
  KERNIX_CPU_ONLY_DEVICE static unsigned long long size() { return num_blocks() * kernix_detail::block_size(); }
  KERNIX_CPU_ONLY_DEVICE static unsigned long long num_threads() { return size(); }
  KERNIX_CPU_ONLY_DEVICE static dim3 group_dim() { return gridDim; }
  KERNIX_CPU_ONLY_DEVICE static dim3 dim_blocks() { return gridDim; }
  KERNIX_CPU_ONLY_DEVICE static dim3 block_index() { return blockIdx; }
};
KERNIX_CPU_ONLY_DEVICE grid_group this_grid() { return {}; }

// ---- Threads that run together ----

class coalesced_group : public kernix_detail::LaneGroup {
public:
  KERNIX_CPU_ONLY_DEVICE coalesced_group(unsigned lanes, unsigned meta_rank, unsigned meta_size)
      : LaneGroup(lanes, meta_rank, meta_size) {}

  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl(T value, int rank) const {
    int count = static_cast<int>(size());
    return kernix_read(value, ((rank % count) + count) % count);
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl_up(T value, unsigned delta) const {
    return kernix_read(value, static_cast<int>(thread_rank()) - static_cast<int>(delta & 31u));
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl_down(T value, unsigned delta) const {
    return kernix_read(value, static_cast<int>(thread_rank() + (delta & 31u)));
  }
};
KERNIX_CPU_ONLY_DEVICE coalesced_group coalesced_threads() { return {kernix_cpu_active_mask(), 0u, 1u}; }

// ---- Tiles ----

template <unsigned Size, class Parent = void> class thread_block_tile;

template <unsigned Size> class thread_block_tile<Size, void> : public kernix_detail::LaneGroup {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "kernix: the CPU target has tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
  // `rank`: of the calling thread in the parent.
  KERNIX_CPU_ONLY_DEVICE thread_block_tile(unsigned rank, unsigned parent_size)
      : LaneGroup(tile_lanes(), rank / Size, (parent_size + Size - 1) / Size) {}

  KERNIX_CPU_ONLY_DEVICE static constexpr unsigned size() { return Size; }
  KERNIX_CPU_ONLY_DEVICE static constexpr unsigned num_threads() { return Size; }
  KERNIX_CPU_ONLY_DEVICE static unsigned thread_rank() {
    return static_cast<unsigned>(kernix_cpu_warp::lane()) & (Size - 1);
  }

  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl(T value, int rank) const {
    if constexpr (kernix_detail::is_number<T>)
      return __shfl_sync(lanes_, value, rank, static_cast<int>(Size));
    else if constexpr (kernix_detail::is_small_integer<T>)
      return static_cast<T>(shfl(static_cast<int>(value), rank));
    return kernix_detail::read_lane(lanes_, value, kernix_cpu_warp::source_idx(rank, Size));
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl_up(T value, unsigned delta) const {
    if constexpr (kernix_detail::is_number<T>)
      return __shfl_up_sync(lanes_, value, delta, static_cast<int>(Size));
    else if constexpr (kernix_detail::is_small_integer<T>)
      return static_cast<T>(shfl_up(static_cast<int>(value), delta));
    return kernix_detail::read_lane(lanes_, value, kernix_cpu_warp::source_up(delta, Size));
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl_down(T value, unsigned delta) const {
    if constexpr (kernix_detail::is_number<T>)
      return __shfl_down_sync(lanes_, value, delta, static_cast<int>(Size));
    else if constexpr (kernix_detail::is_small_integer<T>)
      return static_cast<T>(shfl_down(static_cast<int>(value), delta));
    return kernix_detail::read_lane(lanes_, value, kernix_cpu_warp::source_down(delta, Size));
  }
  template <class T> KERNIX_CPU_ONLY_DEVICE T shfl_xor(T value, unsigned lane_mask) const {
    if constexpr (kernix_detail::is_number<T>)
      return __shfl_xor_sync(lanes_, value, static_cast<int>(lane_mask), static_cast<int>(Size));
    else if constexpr (kernix_detail::is_small_integer<T>)
      return static_cast<T>(shfl_xor(static_cast<int>(value), lane_mask));
    return kernix_detail::read_lane(lanes_, value, kernix_cpu_warp::source_xor(static_cast<int>(lane_mask), Size));
  }

private:
  KERNIX_CPU_ONLY_DEVICE static unsigned tile_lanes() {
    return (Size == 32 ? ~0u : (1u << (Size & 31u)) - 1u)
           << (static_cast<unsigned>(kernix_cpu_warp::lane()) & ~(Size - 1));
  }
};

template <unsigned Size, class Parent> class thread_block_tile : public thread_block_tile<Size, void> {
public:
  using thread_block_tile<Size, void>::thread_block_tile;
};

template <unsigned Size>
KERNIX_CPU_ONLY_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
  return {kernix_detail::block_rank(), kernix_detail::block_size()};
}
template <unsigned Size, unsigned ParentSize, class Parent>
KERNIX_CPU_ONLY_DEVICE thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>
tiled_partition(const thread_block_tile<ParentSize, Parent> &parent) {
  static_assert(Size <= ParentSize, "a tile is not larger than the group that it divides");
  return {parent.thread_rank(), ParentSize};
}

// ---- A group whose kind is known at run time ----

class thread_group {
public:
  KERNIX_CPU_ONLY_DEVICE thread_group(const thread_block &) : is_block_(true), lanes_(0) {}
  KERNIX_CPU_ONLY_DEVICE thread_group(const kernix_detail::LaneGroup &group)
      : is_block_(false), lanes_(group.kernix_lanes()) {}

  KERNIX_CPU_ONLY_DEVICE void sync() const {
    if (is_block_)
      kernix_cpu_barrier();
    else
      kernix_cpu_warp_sync(lanes_);
  }
  KERNIX_CPU_ONLY_DEVICE unsigned thread_rank() const {
    if (is_block_)
      return kernix_detail::block_rank();
    return static_cast<unsigned>(__builtin_popcount(lanes_ & kernix_cpu_warp::lanes_below(kernix_cpu_warp::lane())));
  }
  KERNIX_CPU_ONLY_DEVICE unsigned long long size() const {
    return is_block_ ? kernix_detail::block_size() : static_cast<unsigned>(__builtin_popcount(lanes_));
  }
  KERNIX_CPU_ONLY_DEVICE unsigned long long num_threads() const { return size(); }

private:
  friend KERNIX_CPU_ONLY_DEVICE thread_group tiled_partition(const thread_group &, unsigned);

  // Apart from the lanes, which depend on the thread: all threads of the block come to its barrier or none does.
  bool is_block_;
  unsigned lanes_;
};

// Consecutive ranks of a block or of a group of lanes, `size` at a time.
KERNIX_CPU_ONLY_DEVICE coalesced_group tiled_partition(const thread_block &, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0)
    kernix_cpu_trap();
  unsigned lane = static_cast<unsigned>(kernix_cpu_warp::lane());
  unsigned lanes = (size == 32 ? ~0u : (1u << (size & 31u)) - 1u) << (lane & ~(size - 1));
  unsigned last_warp = kernix_detail::block_size() - (kernix_detail::block_rank() & ~31u);
  if (last_warp < 32)
    lanes &= (1u << last_warp) - 1u;
  return {lanes, kernix_detail::block_rank() / size, (kernix_detail::block_size() + size - 1) / size};
}
KERNIX_CPU_ONLY_DEVICE coalesced_group tiled_partition(const kernix_detail::LaneGroup &parent, unsigned size) {
  if (size == 0 || (size & (size - 1)) != 0)
    kernix_cpu_trap();
  unsigned first = parent.thread_rank() / size * size, lanes = 0;
  for (unsigned rank = first; rank < first + size && rank < parent.size(); ++rank)
    lanes |= 1u << kernix_cpu_warp::nth_lane(parent.kernix_lanes(), static_cast<int>(rank));
  return {lanes, first / size, (parent.size() + size - 1) / size};
}
KERNIX_CPU_ONLY_DEVICE thread_group tiled_partition(const thread_group &parent, unsigned size) {
  if (parent.is_block_)
    return tiled_partition(thread_block(), size);
  return tiled_partition(coalesced_group(parent.lanes_, 0u, 1u), size);
}

// The lanes of `parent` that gave the same label. Groups are numbered in the order of their first lanes.
template <class Label>
KERNIX_CPU_ONLY_DEVICE coalesced_group labeled_partition(const kernix_detail::LaneGroup &parent, Label label) {
  unsigned lanes = kernix_cpu_warp::match_any(parent.kernix_lanes(), label);
  bool first = (lanes & kernix_cpu_warp::lanes_below(kernix_cpu_warp::lane())) == 0;
  unsigned leaders = kernix_cpu_warp_ballot(parent.kernix_lanes(), first);
  unsigned before = leaders & kernix_cpu_warp::lanes_below(__builtin_ctz(lanes));
  return {lanes, static_cast<unsigned>(__builtin_popcount(before)), static_cast<unsigned>(__builtin_popcount(leaders))};
}
KERNIX_CPU_ONLY_DEVICE coalesced_group binary_partition(const kernix_detail::LaneGroup &parent, bool predicate) {
  unsigned votes = kernix_cpu_warp_ballot(parent.kernix_lanes(), predicate);
  unsigned lanes = predicate ? votes : parent.kernix_lanes() & ~votes;
  bool both = votes != 0 && votes != parent.kernix_lanes();
  return {lanes, both && predicate ? 1u : 0u, both ? 2u : 1u};
}

// ---- The same as free functions ----

template <class Group> KERNIX_CPU_ONLY_DEVICE void sync(const Group &group) { group.sync(); }
template <class Group> KERNIX_CPU_ONLY_DEVICE auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> KERNIX_CPU_ONLY_DEVICE auto group_size(const Group &group) { return group.size(); }

} // namespace cooperative_groups

#include "../restore_macros.h"

#endif
