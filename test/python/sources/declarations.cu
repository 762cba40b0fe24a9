// Which declarations of a function speak for its code. Each kernel has one input x; what its gradient is stands in
// test_no_diff.py.
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void
#define NO_DIFF [[kernix::no_diff]]

// A specialization is a function of its own.
template <class T> NO_DIFF __device__ T squared(T a) { return a * a; }
template <> __device__ double squared<double>(double a) { return 2 * a; }
template <class T> __device__ T weighted(NO_DIFF T a, T b) { return a * a + b; }
template <> __device__ double weighted<double>(double a, double b) { return 2 * a + b; }
KERNEL specialization(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = squared(v) + weighted(v, 1.0);
}

template <class T> [[kernix::store]] __device__ T stored(T a) { return a * a; }
template <> __device__ double stored<double>(double a) { return 2 * a; }
KERNEL specialization_of_stored(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = stored(x[threadIdx.x]);
}

template <class T> __device__ T quadrupled(T a) { return a; }
template <> NO_DIFF __device__ double quadrupled<double>(double a);
template <> __device__ double quadrupled<double>(double a) { return 4 * a; }
template <class T> __device__ T doubled(T a) { return a; }
template <> __device__ double doubled<double>(double a) { return 2 * a; }
template <> NO_DIFF __device__ double doubled<double>(double a);
KERNEL marked_specialization(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = quadrupled(v) + doubled(v) + v;
}

// An instantiation is not.
template <class T> NO_DIFF __device__ T cubed(T a) { return a * a * a; }
template __device__ double cubed<double>(double);
KERNEL instantiation(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = cubed(x[threadIdx.x]) + x[threadIdx.x];
}

template <class T> struct Scale {
  NO_DIFF static __device__ double of(double a) { return a * a; }
};
template <class T> struct Scale<T *> {
  static __device__ double of(double a) { return 2 * a; }
};
template <> struct Scale<int> {
  static __device__ double of(double a) { return 3 * a; }
};
template <> __device__ double Scale<long>::of(double a) { return 4 * a; }
KERNEL specialized_classes(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = Scale<char>::of(v) + Scale<int *>::of(v) + Scale<int>::of(v) + Scale<long>::of(v);
}

template <class T> struct Member {
  template <class U> NO_DIFF static __device__ U product(NO_DIFF U a, U b);
  template <class U> static __device__ U square(NO_DIFF U a);
};
template <class T> template <class U> __device__ U Member<T>::product(U a, U b) { return a * a * b; }
template <class T> template <class U> __device__ U Member<T>::square(U a) { return a * a; }
template <> template <class U> __device__ U Member<double>::product(U a, U b) { return 2 * a + b; }
template <> template <> __device__ double Member<float>::product<double>(double a, double b) { return 4 * a + b; }
template <> template <> __device__ double Member<float>::square<double>(double a) { return 8 * a; }
KERNEL specialized_members(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = Member<double>::product(v, v) + Member<float>::product(v, v) + Member<int>::product(v, v) +
                   Member<int>::square(v) + Member<float>::square(v);
}

template <class T> NO_DIFF __device__ T factor = 3;
template <> __device__ const double factor<double> = 4;
KERNEL specialized_variable(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = x[threadIdx.x] * factor<double> * factor<float>;
}

// What is said where a member is defined.
template <class T> struct Outside {
  static __device__ T square(T a);
  static __device__ T product(T a, T b);
};
template <class T> NO_DIFF __device__ T Outside<T>::square(T a) { return a * a; }
template <class T> __device__ T Outside<T>::product(NO_DIFF T a, T b) { return a * b; }
KERNEL defined_outside(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = Outside<double>::square(v) + Outside<double>::product(v + 1, v);
}

template <class T> struct Value {
  T v;
  NO_DIFF friend __device__ T product(Value a, T b) { return a.v * b; }
  friend __device__ T sum(Value a, NO_DIFF T b) { return a.v + b * b; }
};
KERNEL friends(const double *x, [[kernix::shape("x")]] double *y) {
  Value<double> v{x[threadIdx.x]};
  y[threadIdx.x] = product(v, 2.0) + sum(v, v.v);
}

template <class T> __device__ T locals(T v) {
  auto generic = [](NO_DIFF auto a, T b) { return a * b; };
  auto square = [](NO_DIFF T a) { return a * a; };
  struct Local {
    NO_DIFF static __device__ T square(T a) { return a * a; }
    static __device__ T cube(NO_DIFF T a) { return a * a * a; }
  };
  return generic(v, v) + square(v) + Local::square(v) + Local::cube(v);
}
KERNEL lambdas(const double *x, [[kernix::shape("x")]] double *y) { y[threadIdx.x] = locals(x[threadIdx.x]); }

// Declared again behind the definition.
__device__ double square(double a) { return a * a; }
NO_DIFF __device__ double square(double);
namespace space {
__device__ double square(double a) { return a * a; }
NO_DIFF __device__ double square(double);
static __device__ double cube(double a) { return a * a * a; }
NO_DIFF __device__ double cube(double);
namespace {
__device__ double fourth(double a) { return a * a * a * a; }
NO_DIFF __device__ double fourth(double);
} // namespace
template <class T> __device__ T negated(T a) { return -a; }
} // namespace space
template <class T> NO_DIFF __device__ T space::negated(T a);
extern "C" {
__device__ double in_c(double a) { return 3 * a; }
NO_DIFF __device__ double in_c(double a);
}
KERNEL declared_again(const double *x, [[kernix::shape("x")]] double *y) {
  double v = x[threadIdx.x];
  y[threadIdx.x] = v + square(v) + space::square(v) + space::cube(v) + space::fourth(v) + space::negated(v) + in_c(v);
}

namespace space {
__device__ double used(double a) { return a * a; }
KERNEL declared_again_after_use(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = used(x[threadIdx.x]) + x[threadIdx.x];
}
NO_DIFF __device__ double used(double);
} // namespace space

template <class T> constexpr __device__ T half(T a) { return a / 2; }
static_assert(half(4.0) == 2);
template <class T> NO_DIFF constexpr __device__ T half(T a);
__device__ double third(double a) { return a / 3; }
__device__ double with_third(double a) {
  NO_DIFF extern __device__ double third(double);
  return third(a) + a;
}
KERNEL declared_again_elsewhere(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = half(x[threadIdx.x]) + with_third(x[threadIdx.x]);
}

// An overload is another function.
__device__ float overloaded(float a) { return a * a; }
NO_DIFF __device__ double overloaded(double a) { return a * a; }
KERNEL overload(const double *x, [[kernix::shape("x")]] double *y) {
  y[threadIdx.x] = overloaded(x[threadIdx.x]) + overloaded(static_cast<float>(x[threadIdx.x]));
}
