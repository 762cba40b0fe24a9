// kernix/derivative.h - kernix::bwd_diff<f> and kernix::fwd_diff<f>: derivatives in device and host code.
//
// For `R f(T a, const U *p, int k)`, with T floating point or a struct:
//   void    bwd_diff<f>(T a, T *ga, const U *p, U *gp, int k, R gout)   adds to *ga and gp[...]
//   Dual<R> fwd_diff<f>(T a, T da, const U *p, const U *dp, int k)      value and tangent of the result
// References are memory too: `T &r` is followed by `T *gr` in both. A gradient that is not wanted is nullptr. Of an
// overloaded function or a template one is chosen by a cast: bwd_diff<static_cast<float (*)(float)>(f)>.
// These are only declarations: the plugin makes what they call. Included by kernix.h.

#ifndef KERNIX_DERIVATIVE_H
#define KERNIX_DERIVATIVE_H

#include "kernix/raise.h"
#include "kernix/stream.h"
#include "kernix/tensor.h"
#include "kernix/tensor_view.h"
#include <type_traits>

#if defined(__cplusplus) && __cplusplus >= 201703L

namespace kernix {

template <class T> struct DiffTensorView;

/// A value and its derivative along a direction.
template <class T> struct Dual {
  T value;
  T tangent;
};

namespace detail {

template <class... T> struct Slots {};

template <class T> struct WithoutConst {
  using Type = T;
};
template <class T> struct WithoutConst<const T> {
  using Type = T;
};

// What follows a parameter in the signature of a derivative. The plugin has the same rule (DerivativeSignature.cpp).
template <class T> inline constexpr bool is_discrete = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T> std::true_type is_diff_view(const DiffTensorView<T> *); // which has it with it
std::false_type is_diff_view(...);
template <class T>
inline constexpr bool has_gradient = !is_discrete<T> && !std::is_same_v<T, void> &&
                                     !decltype(is_diff_view(static_cast<T *>(nullptr)))::value;
template <class T> inline constexpr bool has_gradient<T *> = false;
template <class T> inline constexpr bool has_gradient<T &> = false;
template <class R, class... A> inline constexpr bool has_gradient<R(A...)> = false;
template <> inline constexpr bool has_gradient<CUstream_st> = false;
template <> inline constexpr bool has_gradient<Stream> = false;
template <class T> using Plain = typename WithoutConst<T>::Type;

template <class P, bool> struct SlotsOf { // by value
  using Reverse = Slots<P>;
  using Forward = Slots<P>;
};
template <class T> struct SlotsOf<T, true> {
  using Reverse = Slots<T, T *>;
  using Forward = Slots<T, T>;
};
template <class T> struct SlotsOf<const T &, true> {
  using Reverse = Slots<const T &, T *>;
  using Forward = Slots<const T &, T>;
};
template <class T> struct SlotsOf<T &, true> {
  using Reverse = Slots<T &, T *>;
  using Forward = Slots<T &, T *>;
};
template <class T> struct SlotsOf<T &&, true> {
  using Reverse = Slots<T &&, T *>;
  using Forward = Slots<T &&, T *>;
};
template <class T> struct SlotsOf<T *, true> {
  using Reverse = Slots<T *, T *>;
  using Forward = Slots<T *, T *>;
};
template <class T> struct SlotsOf<const T *, true> {
  using Reverse = Slots<const T *, T *>;
  using Forward = Slots<const T *, const T *>;
};
template <class T> struct SlotsOf<TensorView<T>, true> {
  using Reverse = Slots<TensorView<T>, TensorView<Plain<T>>>;
  using Forward = Slots<TensorView<T>, TensorView<T>>;
};
template <> struct SlotsOf<Tensor, true> {
  using Reverse = Slots<Tensor, Tensor>;
  using Forward = Slots<Tensor, Tensor>;
};

template <class P> struct Referent {
  using Type = Plain<P>;
};
template <class P> struct Referent<P &> {
  using Type = Plain<P>;
};
template <class P> struct Referent<P &&> {
  using Type = Plain<P>;
};
template <class P> struct Referent<P *> {
  using Type = Plain<P>;
};
template <class P> using SlotsFor = SlotsOf<P, has_gradient<typename Referent<P>::Type>>;

template <class... S> struct Join;
template <class... A> struct Join<Slots<A...>> {
  using Type = Slots<A...>;
};
template <> struct Join<> {
  using Type = Slots<>;
};
template <class... A, class... B, class... Rest> struct Join<Slots<A...>, Slots<B...>, Rest...> {
  using Type = typename Join<Slots<A..., B...>, Rest...>::Type;
};

template <class R, bool> struct ResultOf {
  using Reverse = Slots<R>;
  using Forward = Dual<R>;
};
template <class R> struct ResultOf<R, false> {
  using Reverse = Slots<>;
  using Forward = R;
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

// The plugin defines `call` of every instance that is used.
template <auto F, class R, class S> struct ReverseCall;
template <auto F, class R, class... S> struct ReverseCall<F, R, Slots<S...>> {
  KERNIX_HD static R call(S... values);
};
template <auto F, class R, class S> struct ForwardCall;
template <auto F, class R, class... S> struct ForwardCall<F, R, Slots<S...>> {
  KERNIX_HD static R call(S... values);
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

/// Of anything else: what lets the one error that matters be the only one.
template <class T, T F> struct DerivativesOf {
  struct Result {
    using Forward = Dual<float>;
  };
  struct Nothing {
    template <class... A> KERNIX_HD static Dual<float> call(A &&...) { return {}; }
  };
  using Reverse = Nothing;
  using Forward = Nothing;
  static constexpr bool exists = false;
};
template <class R, class... P, R (*F)(P...)> struct DerivativesOf<R (*)(P...), F> {
  using Result = ResultOf<Plain<R>, has_gradient<Plain<R>>>;
  using Reverse = ReverseCall<F, void, typename Join<typename SlotsFor<P>::Reverse..., typename Result::Reverse>::Type>;
  using Forward = ForwardCall<F, typename Result::Forward, typename Join<typename SlotsFor<P>::Forward...>::Type>;
  static constexpr bool exists = true;
};
template <class R, class... P, R (*F)(P...) noexcept>
struct DerivativesOf<R (*)(P...) noexcept, F> : DerivativesOf<R (*)(P...), static_cast<R (*)(P...)>(F)> {};

} // namespace detail

/// Adds to the gradients that it is given.
template <auto F, class... A> KERNIX_HD inline void bwd_diff(A &&...values) {
  static_assert(detail::DerivativesOf<decltype(F), F>::exists,
                "kernix: bwd_diff and fwd_diff are of functions and static members; for a member of an object write a "
                "function that takes it, R f(const C &object, ...), and calls the member");
  detail::DerivativesOf<decltype(F), F>::Reverse::call(static_cast<A &&>(values)...);
}

/// The result's value and tangent.
template <auto F, class... A>
KERNIX_HD inline typename detail::DerivativesOf<decltype(F), F>::Result::Forward fwd_diff(A &&...values) {
  static_assert(detail::DerivativesOf<decltype(F), F>::exists,
                "kernix: bwd_diff and fwd_diff are of functions and static members; for a member of an object write a "
                "function that takes it, R f(const C &object, ...), and calls the member");
  return detail::DerivativesOf<decltype(F), F>::Forward::call(static_cast<A &&>(values)...);
}

} // namespace kernix

#endif // C++17
#endif // KERNIX_DERIVATIVE_H
