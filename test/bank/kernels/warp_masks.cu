// Warp functions for some of the lanes, by masks that are computed.
#include "bank.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void mask_by_ballot(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  unsigned m = __ballot_sync(0xffffffffu, v > 0);
  if (v > 0) {
    int leader = __ffs(m) - 1;
    v *= __shfl_sync(m, v, leader);
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void nested_halves(const T *x, T *y, int n) {
  int i = thread_index(), l = lane();
  T v = x[i];
  if (l < 16) {
    v += __shfl_down_sync(0xffffu, v, 3, 16);
    if (l < 8)
      v *= __shfl_up_sync(0xffu, v, 1);
  } else {
    v -= __shfl_sync(0xffff0000u, v * v, 20);
  }
  y[i] = v * v;
}

// bank: x in [n] -1:1 | f in i32 [n] 0:2 | y out [n] | n = 64
ONCE_KERNEL void segmented_scan_warp(const T *x, const int *f, T *y, int n) {
  int i = thread_index(), l = lane();
  T v = x[i] * x[i];
  int flag = f[i];
  for (int d = 1; d < 32; d *= 2) {
    T o = __shfl_up_sync(0xffffffffu, v, d);
    int of = __shfl_up_sync(0xffffffffu, flag, d);
    if (l >= d && !flag) {
      v += o;
      flag |= of;
    }
  }
  y[i] = sin(v);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void argmax_of_warp(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  int at = lane();
  for (int d = 16; d > 0; d /= 2) {
    T o = __shfl_down_sync(0xffffffffu, v, d);
    int oa = __shfl_down_sync(0xffffffffu, at, d);
    if (o > v) {
      v = o;
      at = oa;
    }
  }
  at = __shfl_sync(0xffffffffu, at, 0);
  y[i] = __shfl_sync(0xffffffffu, x[i], at) * x[i] + v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void tile_of_8(const T *x, T *y, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  T v = x[i];
  for (int d = tile.size() / 2; d > 0; d /= 2)
    v += tile.shfl_xor(v, d) * T(0.5);
  v *= tile.shfl(x[i], tile.meta_group_rank() % 8);
  v += tile.shfl_up(x[i], 3) * tile.shfl_down(x[i], 2);
  if (tile.any(x[i] > T(0.8)))
    v *= 2;
  if (tile.all(x[i] > T(-0.8)))
    v *= 3;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void match_all_guard(const T *x, T *y, int n) {
  int i = thread_index();
  int same, other;
  unsigned m = __match_all_sync(~0u, n, &same);
  __match_all_sync(~0u, i * 5ll, &other);
  T v = x[i] * __popc(m);
  if (same && !other)
    v += __shfl_xor_sync(~0u, v * v, 16);
  y[i] = v;
}

// bank: x in [n] -1:1 | at in i32 [n] 0:5 | y out [5] | n = 64
ONCE_KERNEL void match_of_long_keys(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  unsigned same = __match_any_sync(~0u, at[i] * 10000000000ll);
  T v = x[i] * x[i], sum = 0;
  for (int k = 0; k < 32; ++k) {
    T o = __shfl_sync(~0u, v, k);
    if (same >> k & 1)
      sum += o;
  }
  if (lane() == __ffs(same) - 1)
    atomicAdd(&y[at[i]], sum);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void sum_of_those_that_run(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  unsigned mask = __activemask();
  T v = x[i] * x[i];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_xor_sync(mask, v, d);
  y[i] = v * x[i] * __popc(mask);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void coalesced_in_uniform_code(const T *x, T *y, int n) {
  int i = thread_index();
  auto g = cg::coalesced_threads();
  T v = x[i];
  v += g.shfl(v, 0) * g.size();
  v *= g.shfl_down(x[i], 1);
  y[i] = v;
}

// bank: x in [n] -1:1 | c inout i32 [1] 0:1 | y out [n] | n = 64
ONCE_KERNEL void counted_where_they_differ(const T *x, int *c, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  if (v > 0) {
    unsigned mask = __activemask();
    if (lane() == __ffs(mask) - 1)
      atomicAdd(c, __popc(mask));
    v *= v;
  }
  y[i] = v;
}

// Integers of several sizes beside numbers, through cooperative groups: an argmax over a tile.
// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
KERNEL void largest_of_tile(const T *x, T *y, int n) {
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T largest = x[i];
  int where = tile.thread_rank();
  unsigned char place = where;
  bool is_positive = x[i] > 0;
  for (int d = 1; d < 8; d *= 2) {
    T other = tile.shfl_xor(largest, d);
    int its_place = tile.shfl_xor(where, d);
    unsigned char short_place = tile.shfl_xor(place, d);
    bool its_sign = tile.shfl_xor(is_positive, d);
    if (other > largest) {
      largest = other;
      where = its_place;
      place = short_place;
      is_positive = its_sign;
    }
  }
  y[i] = largest * x[i / 8 * 8 + where] * (place + 1) * (is_positive ? 2 : 3) + x[i];
}

// Groups of eight lanes vote among themselves: what comes of it is one number for each group, not for the warp.
// bank: x in [n] -1:1 | flag in i32 [n] 0:2 | y out [n] | n = 64
ONCE_KERNEL void first_of_each_group(const T *x, const int *flag, T *y, int n) {
  int i = thread_index();
  unsigned set = __ballot_sync(0xffu << (threadIdx.x & 24), flag[i] > 0);
  y[i] = __shfl_sync(0xffffffffu, x[i], set ? __ffs(set) - 1 : 0) * x[i];
}

// bank: x in [n] -1:1 | step in i32 [n] 0:6 | y out [n] | n = 64
ONCE_KERNEL void step_of_each_group(const T *x, const int *step, T *y, int n) {
  int i = thread_index();
  int by = __reduce_max_sync(0xffu << (threadIdx.x & 24), step[i]);
  y[i] = __shfl_down_sync(0xffffffffu, x[i], by) * x[i];
}

// Two ways lead here, on one of which some threads have left: which it was is a thread's own.
// bank: x in [n] -1:1 | kind in i32 [n] 0:2 | skip in i32 [n] 0:2 | y out [n] | n = 64
ONCE_KERNEL void ways_that_some_leave(const T *x, const int *kind, const int *skip, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  bool first = kind[i] > 0;
  unsigned here = __ballot_sync(0xffffffffu, !first || skip[i] == 0);
  int step;
  if (first) {
    if (skip[i]) {
      y[i] = v * v;
      return;
    }
    step = 1;
  } else {
    step = 2;
  }
  // A lane that reads one that has left gets a number of nobody's.
  bool reads_one_that_is_here = here >> (lane() ^ step) & 1;
  T other = __shfl_xor_sync(here, v, step);
  y[i] = (reads_one_that_is_here ? other : T(2)) * v;
}

// bank: w in [4] -1:1 | x in [n] -1:1 | kind in i32 [n] 0:2 | skip in i32 [n] 0:2 | y out [n] | n = 64
ONCE_KERNEL void places_that_some_leave(const T *w, const T *x, const int *kind, const int *skip, T *y, int n) {
  int i = thread_index();
  int place;
  if (kind[i] > 0) {
    if (skip[i]) {
      y[i] = x[i] * x[i];
      return;
    }
    place = 1;
  } else {
    place = 2;
  }
  y[i] = w[place] * x[i];
}

// A group whose kind is known at run time: a tile of the block, or the block.
template <class T> __device__ T sum_of_group(cg::thread_group g, T *part, T v) {
  unsigned rank = g.thread_rank();
  for (unsigned half = g.size() / 2; half > 0; half /= 2) {
    part[rank] = v;
    g.sync();
    if (rank < half)
      v += part[rank + half] * v;
    g.sync();
  }
  return v;
}
// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void groups_of_any_kind(const T *x, T *y, int n) {
  __shared__ T part[32];
  int i = thread_index();
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
  T v = sum_of_group(tile, part + threadIdx.x - tile.thread_rank(), x[i]);
  cg::thread_group block = cg::this_thread_block();
  block.sync();
  y[i] = v * sum_of_group(block, part, sin(x[i]));
}

// bank: x in [n] -1:1 | y out [n] | size = 8 | n = 64
ONCE_KERNEL void tile_of_any_size(const T *x, T *y, int size, int n) {
  __shared__ T part[32];
  int i = thread_index();
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), size);
  part[threadIdx.x] = x[i] * x[i];
  tile.sync();
  int rank = tile.thread_rank(), count = tile.size(), first = threadIdx.x - rank;
  y[i] = part[first + (rank + 1) % count] * x[i];
}
