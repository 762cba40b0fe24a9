// Functions for test_operators.py, test_compile.py, test_transforms.py and test_autocast.py.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

// With second derivatives.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void cubed(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                      [[kernix::diff]] double a, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = a * x[i] * x[i] * x[i];
}

// In forward mode only, with a number that is not marked.
[[kernix::bind, kernix::differentiable(forward)]]
__global__ void forward_scaled(const double *x, [[kernix::shape("x")]] double *y, double a,
                               [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = a * x[i];
}

// A shape that is computed from sizes and numbers in every way that expressions have.
[[kernix::bind]]
__global__ void
shaped(const float *x, int k,
       [[kernix::intent(out_return), kernix::shape("ceil_div(x.size(0), k)", "max(x.size(-1) - 2, 1) + x.rank() % 2",
                                                   "min(m / 2, 3) * 2 - -1")]] float *y,
       [[kernix::value("x.numel()")]] int m) {
  if (GLOBAL_INDEX == 0)
    y[0] = x[0];
}

// Vectors: sizes count them, tensors have an axis for their elements.
[[kernix::bind]]
__global__ void lengths(const float4 *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                        [[kernix::intent(out_return), kernix::shape("x.size(0)", "2")]] float2 *ends,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  y[i] = x[i].x + x[i].w;
  ends[2 * i] = make_float2(x[i].x, x[i].y);
  ends[2 * i + 1] = make_float2(x[i].z, x[i].w);
}

// In and out are the caller's; the C++ names are words of Python; defaults of every kind.
[[kernix::bind, kernix::differentiable]]
__global__ void named(const double *in, double *out, double lambda = 0.5, int from = 2, bool is = true,
                      [[kernix::optional]] const double *extra = nullptr, [[kernix::value("in.numel()")]] int n = 0) {
  int i = GLOBAL_INDEX;
  if (i < n)
    out[i] = lambda * in[i] * from + (is && extra ? extra[i] : 0.0);
}

// A zero by default, whose sign counts.
[[kernix::bind]]
__global__ void with_sign_of(const double *x, [[kernix::shape("x")]] double *y, double sign = 0,
                             [[kernix::value("x.numel()")]] int n = 0) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = copysign(x[i], sign);
}

// A shape whose expressions divide what may be negative.
[[kernix::bind]]
__global__ void divided(const double *x,
                        [[kernix::shape("(x.size(0) - 7) / 2 + 10", "(x.size(0) - 7) % 4 + 5")]] double *y,
                        [[kernix::value("y.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[0];
}

// A number by whose value the size is decided.
[[kernix::bind]]
__global__ void repeated(const float *x, int times, [[kernix::intent(out_return), kernix::shape("times * n")]] float *y,
                         [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    for (int k = 0; k < times; ++k)
      y[k * n + i] = x[i];
}

[[kernix::bind]]
float first_of(const kernix::Tensor x) {
  return *static_cast<const float *>(x.data_ptr());
}

// Sums over rows; the sum has no axis of the rows.
[[kernix::bind, kernix::differentiable]]
__global__ void row_sums(kernix::TensorView<const double> x,
                         [[kernix::intent(out_return), kernix::shape("x.size(0)")]] kernix::TensorView<double> y) {
  int i = GLOBAL_INDEX;
  if (i >= x.size(0))
    return;
  double sum = 0;
  for (int k = 0; k < x.size(1); ++k)
    sum += x(i, k) * x(i, k);
  y(i) = sum;
}

// Variants for autocast. The sum of the second has a type of its own in the mixed variant.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double", "__half", "__nv_bfloat16")]]
__global__ void product(const T *x, const T *w, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * w[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void only_float(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                           [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i];
}

[[kernix::bind("mixed"), kernix::differentiable]]
__global__ void mixed_float(const float *x, const float *w, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                            [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * w[i];
}
[[kernix::bind("mixed"), kernix::differentiable]]
__global__ void mixed_half(const __half *x, const float *w,
                           [[kernix::intent(out_return), kernix::shape("x")]] __half *y,
                           [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = __float2half(__half2float(x[i]) * w[i]);
}
