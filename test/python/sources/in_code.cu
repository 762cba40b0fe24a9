// kernix::bwd_diff and kernix::fwd_diff in code, and derivatives of code that calls them.
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
__device__ int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__host__ __device__ inline double wave(double x, double a) { return a * x * x * x + a * a * x; }

// Both modes in a kernel.
[[kernix::bind]] __global__ void both(const double *x, double *value, double *forward, double *backward, int n) {
  int i = thread();
  if (i >= n)
    return;
  kernix::Dual<double> d = kernix::fwd_diff<wave>(x[i], 1.0, 2.0, 0.0);
  value[i] = d.value;
  forward[i] = d.tangent;
  double gx = 0, ga = 0;
  kernix::bwd_diff<wave>(x[i], &gx, 2.0, &ga, 1.0);
  backward[i] = gx;
  atomicAdd(backward + n, ga);
}

// On the host.
[[kernix::bind]] double slope(double x, double a) {
  double gx = 0, ga = 0;
  kernix::bwd_diff<wave>(x, &gx, a, &ga, 1.0);
  return gx + kernix::fwd_diff<wave>(x, 0.0, a, 1.0).tangent - ga;
}

// Structs, references, pointers, integers.
struct V2 {
  double x, y;
};
__device__ void turn(const V2 &v, double angle, int times, V2 &to, const double *table) {
  to = {v.x * cos(angle) * times - v.y * sin(angle), v.x * sin(angle) + v.y * cos(angle) * table[1]};
}
[[kernix::bind]] __global__ void signature(const double *x, double *out) {
  V2 v{x[0], x[1]}, gv{0, 0}, to{0, 0}, gto{1, 10};
  double table[2] = {5, 7}, gtable[2] = {0, 0}, gangle = 0;
  kernix::bwd_diff<turn>(v, &gv, x[2], &gangle, 3, to, &gto, table, gtable);
  out[0] = gv.x;
  out[1] = gv.y;
  out[2] = gangle;
  out[3] = gtable[1];
}

// Overloads and instances are chosen by a cast.
template <class T> __device__ T power(T x, int n) {
  T p = 1;
  for (int k = 0; k < n; ++k)
    p *= x;
  return p;
}
__device__ float power(float x) { return x * x; }
[[kernix::bind]] __global__ void chosen(const double *x, double *out) {
  double g = 0;
  kernix::bwd_diff<static_cast<double (*)(double, int)>(power<double>)>(x[0], &g, 4, 1.0);
  float h = 0;
  kernix::bwd_diff<static_cast<float (*)(float)>(power)>(static_cast<float>(x[0]), &h, 1.0f);
  out[0] = g;
  out[1] = h;
}

// Derivatives of derivatives: forward over reverse, reverse over reverse, reverse over forward.
__device__ double gradient(double x) {
  double g = 0, unused = 0;
  kernix::bwd_diff<wave>(x, &g, 2.0, &unused, 1.0);
  return g;
}
__device__ double tangent(double x) { return kernix::fwd_diff<wave>(x, 1.0, 2.0, 0.0).tangent; }
[[kernix::bind]] __global__ void second(const double *x, double *out, int n) {
  int i = thread();
  if (i >= n)
    return;
  out[i] = kernix::fwd_diff<gradient>(x[i], 1.0).tangent;
  double g = 0;
  kernix::bwd_diff<gradient>(x[i], &g, 1.0);
  out[n + i] = g;
  g = 0;
  kernix::bwd_diff<tangent>(x[i], &g, 1.0);
  out[2 * n + i] = g;
}

// A kernel with a derivative whose body calls one.
DIFFERENTIABLE void slopes(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = gradient(x[i]) * x[i];
}

// Of a function with a rule, it is the rule; inside others, too.
__device__ void cube_bwd(double x, double *gx, double g) { *gx += 30 * x * x * g; }
[[kernix::backward_derivative(cube_bwd)]] __device__ double cube(double x) { return x * x * x; }
__device__ double around(double x) { return 2 * cube(x); }
[[kernix::bind]] __global__ void rules(const double *x, double *out) {
  double g = 0;
  kernix::bwd_diff<cube>(x[0], &g, 1.0);
  out[0] = g;
  g = 0;
  kernix::bwd_diff<around>(x[0], &g, 1.0);
  out[1] = g;
}

// A loop of many iterations needs no bound.
__device__ double iterate(double x, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s = 0.5 * sin(s) + x;
  return s;
}
[[kernix::bind]] __global__ void many(const double *x, double *out, int n) {
  double g = 0;
  kernix::bwd_diff<iterate>(x[0], &g, n, 1.0);
  out[0] = g;
}

// Rules choose between two formulas, of which the other one may be infinite.
__device__ double scaled_error(double x) { return erfcx(x); }
__device__ double of_error(double x) {
  double g = 0;
  kernix::bwd_diff<scaled_error>(x, &g, 1.0);
  return g;
}
__device__ double wave(double x) { return j1(x); }
__device__ double of_wave(double x) {
  double g = 0;
  kernix::bwd_diff<wave>(x, &g, 1.0);
  return g;
}
[[kernix::bind, kernix::differentiable]]
__global__ void at_zero(const double *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = of_error(x[i]) + of_wave(x[i]);
}

// Arrays by reference, of which the gradient is an array, too.
__device__ double weighted(const double (&u)[3], const double (&v)[3]) {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2] * v[2];
}
[[kernix::bind]] __global__ void arrays(const double *x, double *out) {
  double u[3] = {x[0], x[1], x[2]}, gu[3] = {}, gv[3] = {};
  kernix::bwd_diff<weighted>(u, &gu, u, &gv, 1.0);
  for (int k = 0; k < 3; ++k)
    out[k] = gu[k] + 10 * gv[k];
}
