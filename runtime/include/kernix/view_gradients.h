// kernix/view_gradients.h - adding to gradients in kernels: what views, those of users too, are made of.
//
// kernix::atomic_add, kernix::warp_sum and kernix::is_first_lane, for float, double, __half, __nv_bfloat16 and float2,
// float3 and float4. On the CPU target a thread is a warp of its own: its threads run one after the other.
// For CUDA only; included by diff_tensor_view.h.

#ifndef KERNIX_VIEW_GRADIENTS_H
#define KERNIX_VIEW_GRADIENTS_H

#include "kernix/tensor_view.h"

namespace kernix {

namespace detail {

template <class T, class = void> constexpr bool has_atomic = false;
template <class T>
constexpr bool has_atomic<T, decltype(void(atomicAdd(static_cast<T *>(nullptr), *static_cast<T *>(nullptr))))> = true;

} // namespace detail

template <class T> __device__ inline void atomic_add(T *place, T value) {
  static_assert(detail::has_atomic<T>, "kernix: a gradient is of float, double, __half, __nv_bfloat16, float2, float3 "
                                       "or float4; of other elements take a kernix::TensorView");
  if constexpr (detail::has_atomic<T>)
    atomicAdd(place, value);
}
__device__ inline void atomic_add(float2 *place, float2 value) {
  atomicAdd(&place->x, value.x);
  atomicAdd(&place->y, value.y);
}
__device__ inline void atomic_add(float3 *place, float3 value) {
  atomicAdd(&place->x, value.x);
  atomicAdd(&place->y, value.y);
  atomicAdd(&place->z, value.z);
}
__device__ inline void atomic_add(float4 *place, float4 value) {
  atomicAdd(&place->x, value.x);
  atomicAdd(&place->y, value.y);
  atomicAdd(&place->z, value.z);
  atomicAdd(&place->w, value.w);
}

namespace detail {

/// Elements of views of integers are indices as what they read is.
template <class Index, class = void> struct IndexRead {
  using Type = Index;
};
template <class Index> struct IndexRead<Index, decltype(void(static_cast<Index *>(nullptr)->view->load(0)))> {
  using Type = typename Index::Value;
};

/// One index per axis.
struct ViewIndex {
  int64_t i, j = 0, k = 0, l = 0;
  int axes = 1;
  template <class Index> __device__ ViewIndex(Index index) : i(static_cast<typename IndexRead<Index>::Type>(index)) {
    static_assert(is_discrete<typename IndexRead<Index>::Type>,
                  "kernix: an index of a view is an integer or a vector of integers");
  }
  __device__ ViewIndex(int2 at) : i(at.x), j(at.y), axes(2) {}
  __device__ ViewIndex(int3 at) : i(at.x), j(at.y), k(at.z), axes(3) {}
  __device__ ViewIndex(int4 at) : i(at.x), j(at.y), k(at.z), l(at.w), axes(4) {}
  __device__ ViewIndex(uint2 at) : i(at.x), j(at.y), axes(2) {}
  __device__ ViewIndex(uint3 at) : i(at.x), j(at.y), k(at.z), axes(3) {}
  __device__ ViewIndex(uint4 at) : i(at.x), j(at.y), k(at.z), l(at.w), axes(4) {}
};

template <class T>
__device__ inline T &element(const TensorView<T> &view, int64_t i, int64_t j, int64_t k, int64_t l, int axes) {
  return axes == 1 ? view(i) : axes == 2 ? view(i, j) : axes == 3 ? view(i, j, k) : view(i, j, k, l);
}

template <class T, class = T> constexpr bool has_sum = false;
template <class T> constexpr bool has_sum<T, decltype(T() + T())> = true;

template <class T> __device__ inline T add(T a, T b) {
  static_assert(has_sum<T>, "kernix: a gradient is of float, double, __half, __nv_bfloat16, float2, float3 or float4");
  if constexpr (has_sum<T>)
    return a + b;
  else
    return a;
}
__device__ inline float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline float3 add(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ inline float4 add(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

/// In what values of type T are summed up: halves in float.
template <class T, bool> struct SumType {
  using Type = T;
};
template <class T> struct SumType<T, true> {
  using Type = float;
};
template <class T> using Sum = typename SumType<T, sizeof(T) == 2>::Type;

#if !defined(__KERNIX_CPU__)

__device__ inline unsigned lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

template <class T> __device__ inline T shuffle(unsigned lanes, T value, int from) {
  return __shfl_sync(lanes, value, from);
}
__device__ inline float2 shuffle(unsigned lanes, float2 v, int from) {
  return {shuffle(lanes, v.x, from), shuffle(lanes, v.y, from)};
}
__device__ inline float3 shuffle(unsigned lanes, float3 v, int from) {
  return {shuffle(lanes, v.x, from), shuffle(lanes, v.y, from), shuffle(lanes, v.z, from)};
}
__device__ inline float4 shuffle(unsigned lanes, float4 v, int from) {
  return {shuffle(lanes, v.x, from), shuffle(lanes, v.y, from), shuffle(lanes, v.z, from), shuffle(lanes, v.w, from)};
}

/// The sum over `group`, right in its first lane. Every one of `lanes` calls this together, each with its own group,
/// and takes part in log2 of the largest one's rounds: lanes of odd rank hand over what they have, ranks are halved.
template <class T> __device__ inline T group_sum(unsigned lanes, unsigned group, T sum) {
  const unsigned own = lane();
  unsigned rank = static_cast<unsigned>(__popc(group & ((1u << own) - 1)));
  unsigned above = group & ~(own == 31 ? ~0u : (2u << own) - 1);
  while (__any_sync(lanes, above != 0)) {
    const int next = __ffs(static_cast<int>(above));
    const T other = shuffle(lanes, sum, next ? next - 1 : static_cast<int>(own));
    if (next)
      sum = add(sum, other);
    above &= ~__ballot_sync(lanes, rank & 1);
    rank >>= 1;
  }
  return sum;
}

#endif

/// Adds to *place what the threads of the warp that are here have for it, by one atomic addition for each place.
template <class T> __device__ inline void add_with_warp(T *place, T value) {
#if defined(__KERNIX_CPU__)
  atomic_add(place, value);
#else
  const unsigned lanes = __activemask();
  const unsigned group = __match_any_sync(lanes, reinterpret_cast<unsigned long long>(place));
  const Sum<T> sum = group_sum(lanes, group, static_cast<Sum<T>>(value));
  if (static_cast<int>(lane()) == __ffs(static_cast<int>(group)) - 1)
    atomic_add(place, static_cast<T>(sum));
#endif
}

} // namespace detail

/// The sum over the threads of the warp that are here; right in the first of them.
template <class T> __device__ inline T warp_sum(T value) {
#if defined(__KERNIX_CPU__)
  return value;
#else
  const unsigned lanes = __activemask();
  return static_cast<T>(detail::group_sum(lanes, lanes, static_cast<detail::Sum<T>>(value)));
#endif
}

/// Whether this is the first of the threads of the warp that are here.
__device__ inline bool is_first_lane() {
#if defined(__KERNIX_CPU__)
  return true;
#else
  return static_cast<int>(detail::lane()) == __ffs(static_cast<int>(__activemask())) - 1;
#endif
}

} // namespace kernix

#endif // KERNIX_VIEW_GRADIENTS_H
