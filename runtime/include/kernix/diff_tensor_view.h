// kernix/diff_tensor_view.h - views that carry their gradients: kernix::DiffTensorViewAA<T> and its relatives.
//
// In a kernel such a view is one parameter, and so it is in the kernel's derivatives. `differential` is where the
// gradient of an input is added to and the one of an output is read, in forward mode the tangent; it is empty where
// nobody wants it. Nothing here is known to the compiler: how a gradient is added is said by derivatives written as
// users write them (docs/custom_derivatives.md), and a class derived from DiffTensorView<T> without fields of its own
// is a view like these.
//
// Indices are int, unsigned and their vectors of 2, 3 and 4, an axis each. T is float, double, __half, __nv_bfloat16,
// float2, float3 or float4. Included by kernix.h.

#ifndef KERNIX_DIFF_TENSOR_VIEW_H
#define KERNIX_DIFF_TENSOR_VIEW_H

#include "kernix/derivative.h"
#include "kernix/tensor_view.h"

#if defined(__cplusplus) && __cplusplus >= 201703L
#include <type_traits>

namespace kernix {

/// What all of them hold.
template <class T> struct DiffTensorView {
  using Value = T;
  TensorView<T> primal;
  TensorView<T> differential;
#if defined(KERNIX_CHECK_ACCUMULATION)
  kernix_view_check check = {};
};
static_assert(sizeof(DiffTensorView<float>) == 2 * sizeof(kernix_tensor_view) + sizeof(kernix_view_check));
#else
};
static_assert(sizeof(DiffTensorView<float>) == 2 * sizeof(kernix_tensor_view), "passed as two views in a row");
#endif

} // namespace kernix

// What follows calls CUDA's functions.
#if defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__) || defined(__NVCC__) || defined(__KERNIX_CPU__)
#include "kernix/view_gradients.h"
#if defined(KERNIX_CHECK_ACCUMULATION)
#include "kernix/view_check.h"
#endif

#if __has_cpp_attribute(kernix::bind)
#define KERNIX_DERIVATIVES(backward, forward)                                                                          \
  [[kernix::backward_derivative(backward), kernix::forward_derivative(forward)]]
/// The derivative is called for each call, also where nothing comes of what it returns (HandOver.h).
#define KERNIX_ASSIGNS [[clang::annotate("kernix.assigns")]]
#else
#define KERNIX_DERIVATIVES(backward, forward)
#define KERNIX_ASSIGNS
#endif

namespace kernix {

/// view[i]: reads as load, writes as store.
template <class View> struct ViewElement {
  using Value = typename View::Value;
  const View *view;
  detail::ViewIndex index;

  __device__ operator Value() const { return view->load(index); }
  /// `(float)view[i]` of 16-bit numbers, which are classes: C++ takes no two conversions of classes.
  template <class Number, class Half = Value,
            std::enable_if_t<
                std::is_arithmetic_v<Number> && std::is_class_v<Half> && std::is_convertible_v<Half, float>, int> = 0>
  __device__ explicit operator Number() const {
    return static_cast<Number>(static_cast<float>(view->load(index)));
  }
  __device__ const ViewElement &operator=(Value value) const {
    view->store(index, value);
    return *this;
  }
  __device__ const ViewElement &operator=(const ViewElement &other) const { return *this = static_cast<Value>(other); }
  __device__ const ViewElement &operator+=(Value value) const { return *this = static_cast<Value>(*this) + value; }
  __device__ const ViewElement &operator-=(Value value) const { return *this = static_cast<Value>(*this) - value; }
  __device__ const ViewElement &operator*=(Value value) const { return *this = static_cast<Value>(*this) * value; }
  __device__ const ViewElement &operator/=(Value value) const { return *this = static_cast<Value>(*this) / value; }
  ViewElement(const ViewElement &) = default;
  __device__ ViewElement(const View *view, detail::ViewIndex index) : view(view), index(index) {}
};

namespace detail {

/// Tangents of what is read, and stores: the same in all views. An index for each of `axes` axes.
template <class Base> struct ViewStores : Base {
  using Base::differential;
  using Base::primal;
  using T = typename Base::Value;

  __device__ Dual<T> dual_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return {element(primal, i, j, k, l, axes), differential.data_ ? element(differential, i, j, k, l, axes) : T{}};
  }
  __device__ void store_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T, T *g) const {
    if (!g || !differential.data_)
      return;
    const T &cotangent = element(differential, i, j, k, l, axes);
#if defined(KERNIX_CHECK_ACCUMULATION)
    if (!is_expanded(differential.shape, differential.strides, differential.rank()))
      check_store(&cotangent, this->check, i, j, k, l, axes);
#endif
    *g = add(*g, cotangent);
  }
  __device__ void store_fwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T value, T tangent) const {
    element(primal, i, j, k, l, axes) = value;
    if (differential.data_)
      element(differential, i, j, k, l, axes) = tangent;
  }
  KERNIX_DERIVATIVES(&ViewStores::store_bwd, &ViewStores::store_fwd)
  __device__ void store_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T value) const {
    element(primal, i, j, k, l, axes) = value;
  }
};

/// What the loads of DiffTensorViewAA come to, and their derivatives.
template <class T, bool HasGradient> struct AtomicView : ViewStores<DiffTensorView<T>> {
  using DiffTensorView<T>::primal;
  using DiffTensorView<T>::differential;

  __device__ void load_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T &sum = element(differential, i, j, k, l, axes);
#if defined(KERNIX_CHECK_ACCUMULATION)
    check_atomic(&sum, this->check, "load", i, j, k, l, axes);
#endif
    atomic_add(&sum, g);
  }
  __device__ void load_fixed_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T &sum = element(differential, i, j, k, l, axes);
#if defined(KERNIX_CHECK_ACCUMULATION)
    check_atomic(&sum, this->check, "loadFixed", i, j, k, l, axes);
#endif
    add_with_warp(&sum, g);
  }
  __device__ void load_uniform_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T &sum = element(differential, i, j, k, l, axes);
#if defined(KERNIX_CHECK_ACCUMULATION)
    check_owner(&sum, false, this->check, "loadUniform", i, j, k, l, axes);
#endif
    sum = add(sum, g);
  }
  __device__ void load_uniform_once_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T &gradient = element(differential, i, j, k, l, axes);
#if defined(KERNIX_CHECK_ACCUMULATION)
    check_owner(&gradient, true, this->check, "loadUniformOnce", i, j, k, l, axes);
#endif
    gradient = g;
  }
  __device__ Dual<T> load_fwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return this->dual_at(i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&AtomicView::load_bwd, &AtomicView::load_fwd)
  __device__ T load_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&AtomicView::load_fixed_bwd, &AtomicView::load_fwd)
  __device__ T load_fixed_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&AtomicView::load_uniform_bwd, &AtomicView::load_fwd)
  __device__ T load_uniform_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&AtomicView::load_uniform_once_bwd, &AtomicView::load_fwd)
  KERNIX_ASSIGNS __device__ T load_uniform_once_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
};

/// Of integers.
template <class T> struct AtomicView<T, false> : DiffTensorView<T> {
  using DiffTensorView<T>::primal;

  __device__ T load_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  __device__ T load_fixed_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  __device__ T load_uniform_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  __device__ T load_uniform_once_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
  __device__ void store_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T value) const {
    element(primal, i, j, k, l, axes) = value;
  }
};

} // namespace detail

/// What kernels and callers use of a view. `View` is the class that is derived from this, `Rules` has load_at and
/// store_at with their derivatives.
template <class View, class Rules> struct DiffTensorViewMembers : Rules {
  using T = typename Rules::Value;
  using Rules::differential;
  using Rules::primal;

  static View from_tensor(const Tensor &tensor) {
    View view;
    view.primal = TensorView<T>::from_tensor(tensor);
    return view;
  }
  static View from_tensor(const Tensor &tensor, const Tensor &gradient) {
    View view = from_tensor(tensor);
    view.differential = TensorView<T>::from_tensor(gradient);
    bool is_same = view.differential.rank_ == view.primal.rank_;
    for (int d = 0; is_same && d < view.primal.rank_; ++d)
      is_same = view.differential.shape[d] == view.primal.shape[d];
    if (view.differential.data_ && !is_same)
      kernix_raise(KERNIX_ERROR_VALUE, "DiffTensorView: a gradient has the shape of its tensor");
    return view;
  }

  KERNIX_HD int64_t size(int d) const { return primal.shape[d]; }
  KERNIX_HD int rank() const { return primal.rank_; }
  KERNIX_HD int64_t numel() const { return primal.numel(); }

  template <class Index> __device__ T load(Index index) const {
    const detail::ViewIndex at(index);
    return this->load_at(at.i, at.j, at.k, at.l, at.axes);
  }
  template <class Index> __device__ void store(Index index, T value) const {
    const detail::ViewIndex at(index);
    this->store_at(at.i, at.j, at.k, at.l, at.axes, value);
  }
  template <class Index> __device__ ViewElement<View> operator[](Index index) const {
    return {static_cast<const View *>(this), detail::ViewIndex(index)};
  }
};

/// Each load says how gradients of what it reads come together:
///   load             by atomic addition
///   loadFixed        all threads of a warp read one element: they add up first. Where they do not, equal ones do.
///   loadUniform      no two threads read one element: plain addition
///   loadUniformOnce  and each element is read once: assignment
template <class T>
struct DiffTensorViewAA : DiffTensorViewMembers<DiffTensorViewAA<T>, detail::AtomicView<T, detail::has_gradient<T>>> {
  template <class Index> __device__ T loadFixed(Index index) const {
    const detail::ViewIndex at(index);
    return this->load_fixed_at(at.i, at.j, at.k, at.l, at.axes);
  }
  template <class Index> __device__ T loadUniform(Index index) const {
    const detail::ViewIndex at(index);
    return this->load_uniform_at(at.i, at.j, at.k, at.l, at.axes);
  }
  template <class Index> __device__ T loadUniformOnce(Index index) const {
    const detail::ViewIndex at(index);
    return this->load_uniform_once_at(at.i, at.j, at.k, at.l, at.axes);
  }
};

} // namespace kernix

#include "kernix/diff_tensor_view_scratch.h"

#undef KERNIX_DERIVATIVES
#undef KERNIX_ASSIGNS
#endif // CUDA's functions
#endif // C++17
#endif // KERNIX_DIFF_TENSOR_VIEW_H
