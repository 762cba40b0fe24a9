// Static members with derivatives.
#include <kernix/kernix.h>

class Spring {
  static __device__ double square(double x) { return x * x; }

public:
  [[kernix::bind, kernix::differentiable]] static __device__ double energy(double x, double k) {
    return 0.5 * k * square(x);
  }
  [[kernix::bind, kernix::differentiable]] static __global__ void force(const double *x,
                                                                        [[kernix::shape("x")]] double *y) {
    int i = threadIdx.x;
    y[i] = x[i] + square(x[i]);
  }
};

struct Twice {
  [[kernix::bind, kernix::differentiable(2)]] static __global__ void f(const double *x,
                                                                       [[kernix::shape("x")]] double *y) {
    int i = threadIdx.x;
    y[i] = x[i] * x[i] * x[i];
  }
};

namespace geometry {
struct Area {
  [[kernix::bind, kernix::differentiable]] static void of(double w, double h,
                                                          [[kernix::intent(out_return)]] double &r) {
    r = w * h;
  }
};
} // namespace geometry

template <class T> struct Powers {
  static __device__ T cube(T x) { return x * x * x; }
};
[[kernix::bind, kernix::differentiable]] constexpr auto cube_of_double = &Powers<double>::cube;

[[kernix::bind]] __global__ void in_code(const double *x, [[kernix::shape("x")]] double *by_x,
                                         [[kernix::shape("x")]] double *by_k, [[kernix::shape("x")]] double *cube) {
  int i = threadIdx.x;
  by_x[i] = by_k[i] = 0;
  kernix::bwd_diff<Spring::energy>(x[i], &by_x[i], 3.0, &by_k[i], 1.0);
  cube[i] = kernix::fwd_diff<&Powers<double>::cube>(x[i], 1.0).tangent;
}

class Ruled {
  static __device__ void first_backward(double, double *gx, double g) { *gx += 10 * g; }

public:
  [[kernix::backward_derivative(first_backward)]] static __device__ double first(double x) { return x; }
  static __device__ void second_backward(double, double *gx, double g) { *gx += 100 * g; }
  [[kernix::backward_derivative(&Ruled::second_backward)]] static __device__ double second(double x) { return x; }
  static __device__ double third(double x) { return x; }
  [[kernix::backward_derivative_of(&Ruled::third)]] static __device__ void third_backward(double, double *gx,
                                                                                          double g) {
    *gx += 1000 * g;
  }
};
[[kernix::bind, kernix::differentiable(backward)]] __global__ void with_rules(const double *x,
                                                                              [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = Ruled::first(x[i]) + Ruled::second(x[i]) + Ruled::third(x[i]);
}
