// Class templates that nothing but the signature of a bound function needs.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %cpu-device -fsyntax-only %s
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 -DBAD %s 2>&1 | FileCheck %s --check-prefix=BAD --implicit-check-not=error:
// REQUIRES: cpu
#include <complex>
#include <kernix/kernix.h>

template <class T> struct Pair {
  T a, b;
};
template <class T> struct Missing;
template <class T> struct Broken {
  typename T::type member;
};
template <class T> struct AroundBroken {
  Broken<T> member;
};

// CHECK: host f = f(const kernix::Tensor &x, const kernix::TensorView<const float> &y)
// CHECK-NEXT: x: arg tensor any
// CHECK-NEXT: y: arg tensor_view float32
[[kernix::bind]] int f(const kernix::Tensor &x, const kernix::TensorView<const float> &y) { return x.ndim(); }
// CHECK: host g = g(const Pair<float> &x, Pair<short> &y)
// CHECK-NEXT: x: attr struct
// CHECK-NEXT: y: ret reference
[[kernix::bind]] Pair<int> g(const Pair<float> &x, [[kernix::intent(out_return)]] Pair<short> &y);
// CHECK: kernel k = k(Pair<float> *x, const Pair<long> *y, kernix::TensorView<Pair<double>> z, std::complex<float> *c)
[[kernix::bind]] __global__ void k(Pair<float> *x, const Pair<long> *y, kernix::TensorView<Pair<double>> z,
                                   std::complex<float> *c) {}

#ifdef BAD
// BAD: :[[#@LINE+1]]:55: error: 'x' of type 'const Missing<int> &' cannot be bound: it is incomplete
[[kernix::bind]] int missing(const Missing<int> &     x);
// BAD: :[[#@LINE+1]]:18: error: a result of type 'Missing<int>' cannot be bound: it is incomplete
[[kernix::bind]] Missing<int> missingResult(int x);
// BAD: error: type 'float' cannot be used prior to '::' because it has no members
// BAD: :[[#@LINE+1]]:56: note: in instantiation of template class 'Broken<float>' requested here
[[kernix::bind]] int broken(const Broken<float> &      x, const Broken<float> &again);
// BAD: error: type 'double' cannot be used prior to '::' because it has no members
// BAD: note: in instantiation of template class 'Broken<double>' requested here
// BAD: :[[#@LINE+1]]:63: note: in instantiation of template class 'AroundBroken<double>' requested here
[[kernix::bind]] int around(const AroundBroken<double> &      x);
// BAD: error: type 'int' cannot be used prior to '::' because it has no members
[[kernix::bind]] __global__ void elements(Broken<int> *x, kernix::TensorView<AroundBroken<int>> y) {}
#endif
