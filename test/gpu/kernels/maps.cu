// One thread per element: every element type, constants, structs by value, optional tensors.
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

[[kernix::bind]]
__global__ void scale_shift(const float *__restrict__ x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                            float a, float b, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  y[i] = a * sinf(x[i]) + b;
}

[[kernix::bind]]
__global__ void many_functions(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                               [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = exp(-x[i] * x[i]) + log1p(fabs(x[i])) + tanh(x[i]) + pow(fabs(x[i]) + 1, 0.25) + rsqrt(x[i] * x[i] + 1) +
           erf(x[i]) + cbrt(x[i]) + atan2(x[i], 2.0);
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "int", "int8_t", "uint16_t", "int64_t")]]
__global__ void axpy(const T *x, [[kernix::intent(inout_ptr)]] T *y, T a, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = static_cast<T>(a * x[i] + y[i]);
}

[[kernix::bind]]
__global__ void halves(const __half *x, [[kernix::intent(out_return), kernix::shape("x")]] __half *y, __half a,
                       [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = __hadd_rn(__hmul_rn(a, x[i]), __float2half(0.5f));
}

[[kernix::bind]]
__global__ void bfloats(const __nv_bfloat16 *x, [[kernix::intent(out_return), kernix::shape("x")]] __nv_bfloat16 *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = __float2bfloat16(2.0f * __bfloat162float(x[i]) + 1.0f);
}

[[kernix::bind]]
__global__ void multiply(const std::complex<float> *x, const std::complex<float> *y,
                         [[kernix::intent(out_return), kernix::shape("x")]] std::complex<float> *z,
                         std::complex<double> factor, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    z[i] = std::complex<float>(factor) * x[i] * y[i];
}

[[kernix::bind]]
__global__ void lengths(const float4 *x, [[kernix::intent(out_return), kernix::shape("x.size(0)")]] float *y,
                        [[kernix::value("x.size(0)")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = sqrtf(x[i].x * x[i].x + x[i].y * x[i].y + x[i].z * x[i].z + x[i].w * x[i].w);
}

__constant__ float weights[4] = {0.5f, -1.0f, 0.25f, 2.0f};

[[kernix::bind]]
__global__ void polynomial(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                           [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 3; k >= 0; --k)
    sum = sum * x[i] + weights[k];
  y[i] = sum;
}

struct Box {
  float low[2], high[2];
  int is_closed;
};

[[kernix::bind]]
__global__ void inside(const float2 *points, Box box,
                       [[kernix::intent(out_return), kernix::shape("points.size(0)")]] bool *result,
                       [[kernix::value("points.size(0)")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  float2 p = points[i];
  result[i] = box.is_closed ? p.x >= box.low[0] && p.x <= box.high[0] && p.y >= box.low[1] && p.y <= box.high[1]
                            : p.x > box.low[0] && p.x < box.high[0] && p.y > box.low[1] && p.y < box.high[1];
}

[[kernix::bind]]
__global__ void weighted(const float *x, [[kernix::optional]] const float *weight,
                         [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                         [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * (weight ? weight[i] : 3.0f);
}
