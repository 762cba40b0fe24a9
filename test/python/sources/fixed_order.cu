// Gradients that a deterministic build adds in one order, and launches in which it cannot.
#include <kernix/kernix.h>
// Proven for blocks of at most 64 threads.
[[kernix::bind, kernix::differentiable]] __global__ void by_64(const float *x, float *y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
[[kernix::bind, kernix::differentiable]] __global__ void
product(const float *a, const float *b, [[kernix::shape("a")]] float *y, [[kernix::value("a.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sinf(a[i]) * b[i];
}
// Rows of as many elements as a byte says.
[[kernix::bind, kernix::differentiable]] __global__ void byte_rows(const float *x, float *y, unsigned char width) {
  float sum = 0;
  for (int k = 0; k < width; ++k)
    sum += x[threadIdx.x * width + k] * x[threadIdx.x * width + k];
  y[threadIdx.x] = sum;
}
// Rows of as many elements as numbers say that may wrap around.
[[kernix::bind, kernix::differentiable]] __global__ void wrapped_rows(const float *x, float *y, unsigned a, unsigned b,
                                                                      unsigned c, unsigned d, int width) {
  const int m = (int)(a * b - c * d);
  const float *p = x + threadIdx.x * width;
  float sum = 0;
  for (int k = 0; k < m; ++k, ++p)
    sum += *p * *p;
  y[threadIdx.x] = sum;
}
[[kernix::differentiable]] __device__ float pair(const float *p) { return p[0] * p[1]; }
[[kernix::bind]] __global__ void own(const float *x, float *gx) {
  float v[2] = {x[0], x[1]}, g[2] = {0, 0};
  kernix::bwd_diff<pair>(v, g, 1.0f);
  gx[0] = g[0];
  gx[1] = g[1];
}
[[kernix::bind]] __global__ void shared_by_all(const float *x, float *gx) { kernix::bwd_diff<pair>(x, gx, 1.0f); }
