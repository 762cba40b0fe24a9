// kernix/tensor_view.h - kernix::TensorView<T>: pointer, sizes and strides, by value into kernels.
//
// In kernels a view is constant: writing a field would copy all of it to the stack. Compiled with KERNIX_CHECK_BOUNDS
// every access is checked: on the host a KernelError, in a kernel a message and the end of the launch.

#ifndef KERNIX_TENSOR_VIEW_H
#define KERNIX_TENSOR_VIEW_H

#include "kernix/abi.h"
#include "kernix/dtype.h"
#include "kernix/raise.h"
#include "kernix/tensor.h"

namespace kernix {

namespace detail {

[[noreturn]] KERNIX_HD inline void out_of_bounds(long long index, int axis, long long size) {
#if defined(__CUDA_ARCH__) && defined(__KERNIX_CPU__)
  char text[128];
  __builtin_snprintf(text, sizeof text, "index %lld is out of bounds for axis %d of size %lld", index, axis, size);
  kernix_cpu_assert_fail(text, "kernix/tensor_view.h", __LINE__, "TensorView");
#elif defined(__CUDA_ARCH__)
  __builtin_printf("kernix: TensorView: index %lld is out of bounds for axis %d of size %lld\n", index, axis, size);
  __builtin_trap();
#else
  kernix_raise(KERNIX_ERROR_VALUE, "TensorView: index %lld is out of bounds for axis %d of size %lld", index, axis,
               size);
#endif
}

[[noreturn]] KERNIX_HD inline void wrong_rank(int indices, int rank) {
#if defined(__CUDA_ARCH__) && defined(__KERNIX_CPU__)
  char text[128];
  __builtin_snprintf(text, sizeof text, "%d indices for a view of rank %d", indices, rank);
  kernix_cpu_assert_fail(text, "kernix/tensor_view.h", __LINE__, "TensorView");
#elif defined(__CUDA_ARCH__)
  __builtin_printf("kernix: TensorView: %d indices for a view of rank %d\n", indices, rank);
  __builtin_trap();
#else
  kernix_raise(KERNIX_ERROR_VALUE, "TensorView: %d indices for a view of rank %d", indices, rank);
#endif
}

} // namespace detail

template <class T> struct TensorView {
  // The layout of kernix_tensor_view.
  T *data_ = nullptr;
  int64_t shape[KERNIX_MAX_RANK] = {};
  int64_t strides[KERNIX_MAX_RANK] = {}; ///< in elements of T
  int32_t rank_ = 0;
  int32_t reserved_ = 0;

  /// Row-major view of `data` with the given sizes.
  template <class... Sizes> KERNIX_HD static TensorView contiguous(T *data, Sizes... sizes) {
    static_assert(sizeof...(Sizes) <= KERNIX_MAX_RANK, "kernix: a view has at most 8 axes");
    TensorView view;
    view.data_ = data;
    view.rank_ = sizeof...(Sizes);
    const int64_t all[] = {static_cast<int64_t>(sizes)..., 0};
    int64_t stride = 1;
    for (int d = view.rank_ - 1; d >= 0; --d) {
      view.shape[d] = all[d];
      view.strides[d] = stride;
      stride *= all[d];
    }
    return view;
  }

  /// View of a tensor of the right dtype; for vector types its last axis is the vector's width. Host only.
  static TensorView from_tensor(const Tensor &tensor) {
    constexpr kernix_dtype wanted = ElementOf<T>::dtype;
    constexpr int64_t count = ElementOf<T>::count;
    constexpr int element_axes = count == 1 ? 0 : 1;
    const kernix_tensor &raw = tensor.raw();
    if (raw.dtype.code != wanted.code || raw.dtype.bits != wanted.bits || raw.dtype.lanes != 1)
      kernix_raise(KERNIX_ERROR_TYPE, "TensorView: expected a tensor of %s, got one of %s",
                   dtype_name(to_dtype(wanted)), dtype_name(to_dtype(raw.dtype)));
    const int last = raw.ndim - 1;
    if (element_axes && (last < 0 || raw.shape[last] != count || raw.strides[last] != 1))
      kernix_raise(KERNIX_ERROR_VALUE, "TensorView: expected a last axis of %lld adjacent values",
                   static_cast<long long>(count));
    if (reinterpret_cast<uintptr_t>(raw.data) % alignof(T) != 0)
      kernix_raise(KERNIX_ERROR_VALUE, "TensorView: expected data aligned to %zu bytes", alignof(T));
    TensorView view;
    view.data_ = static_cast<T *>(raw.data);
    view.rank_ = raw.ndim - element_axes;
    for (int d = 0; d < view.rank_; ++d) {
      if (raw.shape[d] != 1 && raw.strides[d] % count != 0)
        kernix_raise(KERNIX_ERROR_VALUE, "TensorView: the stride of axis %d is no multiple of %lld", d,
                     static_cast<long long>(count));
      view.shape[d] = raw.shape[d];
      view.strides[d] = raw.strides[d] / count;
    }
    return view;
  }

  KERNIX_HD T *data() const { return data_; }
  KERNIX_HD int rank() const { return rank_; }
  KERNIX_HD int64_t size(int d) const { return shape[d]; }
  KERNIX_HD int64_t stride(int d) const { return strides[d]; }
  KERNIX_HD int64_t numel() const {
    int64_t count = 1;
    for (int d = 0; d < rank_; ++d)
      count *= shape[d];
    return count;
  }

  /// Element (i, j, ...): one index per axis.
  template <class... Indices> KERNIX_HD T &operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) <= KERNIX_MAX_RANK, "kernix: a view has at most 8 axes");
#if defined(KERNIX_CHECK_BOUNDS)
    if (static_cast<int>(sizeof...(Indices)) != rank_)
      detail::wrong_rank(static_cast<int>(sizeof...(Indices)), rank_);
#endif
    int64_t offset = 0;
    int axis = 0;
    (void)axis;
    ((offset += step(axis++, static_cast<int64_t>(indices))), ...);
    return data_[offset];
  }

  /// Element of a view with one axis.
  template <class Index> KERNIX_HD T &operator[](Index index) const { return (*this)(index); }

  KERNIX_HD operator TensorView<const T>() const {
    TensorView<const T> view;
    view.data_ = data_;
    view.rank_ = rank_;
    for (int d = 0; d < KERNIX_MAX_RANK; ++d) {
      view.shape[d] = shape[d];
      view.strides[d] = strides[d];
    }
    return view;
  }

private:
  KERNIX_HD int64_t step(int axis, int64_t index) const {
#if defined(KERNIX_CHECK_BOUNDS)
    if (index < 0 || index >= shape[axis])
      detail::out_of_bounds(index, axis, shape[axis]);
#endif
    return index * strides[axis];
  }
};

static_assert(sizeof(TensorView<float>) == sizeof(kernix_tensor_view), "passed by value as kernix_tensor_view");

} // namespace kernix

#endif // KERNIX_TENSOR_VIEW_H
