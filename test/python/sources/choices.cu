// What the source chooses: constants for differentiation, bounds and storage of loops.
#include <kernix/derivative.h>
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
__device__ int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// [[kernix::no_diff]] on variables: numbers, structs, arrays.
DIFFERENTIABLE void variable(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  [[kernix::no_diff]] double c = x[i] * x[i];
  y[i] = c * x[i];
}
struct Pair {
  double a, b;
  int k;
};
DIFFERENTIABLE void members(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  [[kernix::no_diff]] Pair p{x[i], 2 * x[i], 3};
  Pair q = p;
  y[i] = p.a * x[i] + q.b * x[i] * q.k;
}
DIFFERENTIABLE void elements(const double *x, double *y, int n, int m) {
  int i = thread();
  if (i >= n)
    return;
  [[kernix::no_diff]] double a[5];
  for (int k = 0; k < 5; ++k)
    a[k] = x[i] * k;
  double s = 0;
  for (int k = 0; k < m; ++k)
    s += a[k % 5] * x[i];
  y[i] = s;
}
DIFFERENTIABLE void updated(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  [[kernix::no_diff]] double most = 0;
  for (int k = 0; k < n; ++k)
    if (x[k] * x[k] > most)
      most = x[k] * x[k];
  y[i] = x[i] / most;
}

// On functions: what they return, and what they write.
struct Vector {
  double x, y, z;
};
[[kernix::no_diff]] __device__ double squared(double x) { return x * x; }
[[kernix::no_diff]] __device__ Vector times(Vector v, double s) { return {v.x * s, v.y * s, v.z * s}; }
[[kernix::no_diff]] __device__ void both(double x, double &s, double *c) {
  s = sin(x);
  *c = cos(x);
}
template <class T> [[kernix::no_diff]] __device__ T twice(const T *x, int i) { return 2 * x[i]; }
DIFFERENTIABLE void functions(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double s, c;
  both(x[i], s, &c);
  Vector v = times({x[i], 1, 2}, x[i]);
  y[i] = squared(x[i]) * x[i] + (s + c) * x[i] + (v.x + v.y) * x[i] + twice(x, i) * x[i];
}

// On calls.
__device__ double cubed(double x) { return x * x * x; }
DIFFERENTIABLE void calls(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double c, d;
  [[kernix::no_diff]] c = cubed(x[i]);
  [[kernix::no_diff]] d = sin(x[i]) + x[i];
  y[i] = c * x[i] + d + cubed(x[i]);
}

// [[kernix::max_iters]]: more iterations are an error.
DIFFERENTIABLE void bounded(const double *x, double *y, int n, int m) {
  int i = thread();
  if (i >= n)
    return;
  double s = x[i];
  [[kernix::max_iters(10)]] for (int k = 0; k < m; ++k)
    s = s * s;
  y[i] = s;
}
[[kernix::bind, kernix::differentiable]] double on_host(double x, int m) {
  double s = x;
  [[kernix::max_iters(10)]] for (int k = 0; k < m; ++k)
    s = s * s;
  return s;
}
double power(double x, int m) {
  double s = x;
  [[kernix::max_iters(10)]] for (int k = 0; k < m; ++k)
    s = s * s;
  return s;
}
[[kernix::bind]] double in_code(double x, int m) {
  double g = 0;
  kernix::bwd_diff<power>(x, &g, m, 1.0);
  return g;
}
