// test/python/sources/outputs_without_gradients.cu - integer and no_diff outputs, after which something is sized.
//
// f_bwd reads none of them, so that no caller gives it one. Each kernel but the last ones computes y = x * x.

#include <kernix/kernix.h>

namespace {

__device__ int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__device__ void square(const double *x, double *y, int *at, int n) {
  int i = thread();
  if (i < n) {
    at[i] = x[i] > 1;
    y[i] = x[i] * x[i];
  }
}

} // namespace

// The default grid is that of the first output.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void first(const double *x, [[kernix::shape("x")]] int *at, [[kernix::shape("x")]] double *y,
                      [[kernix::value("x.numel()")]] int n) {
  square(x, y, at, n);
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void first_no_diff(const double *x, [[kernix::shape("x"), kernix::no_diff]] double *log,
                              [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n) {
    log[i] = x[i];
    y[i] = x[i] * x[i];
  }
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void in_value(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] int *at,
                         [[kernix::value("at.numel()")]] int n) {
  square(x, y, at, n);
}

[[kernix::bind, kernix::differentiable(2), kernix::grid("ceil_div(at.numel(), block.x)")]]
__global__ void in_grid(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] int *at,
                        [[kernix::value("x.numel()")]] int n) {
  square(x, y, at, n);
}

// Each step of the sizes is that of an output without a gradient.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void in_shape(const double *x, [[kernix::shape("x.numel() + 0")]] int *at, [[kernix::shape("at")]] int *more,
                         [[kernix::shape("more.size(0)")]] double *y, [[kernix::value("more.size(-1)")]] int n) {
  int i = thread();
  if (i < n) {
    at[i] = more[i] = x[i] > 1;
    y[i] = x[i] * x[i];
  }
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void returned(const double *x, [[kernix::shape("x"), kernix::intent(out_return)]] int *at,
                         [[kernix::shape("x"), kernix::intent(out_return)]] double *y,
                         [[kernix::value("x.numel()")]] int n) {
  square(x, y, at, n);
}

// What f has is not null.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void tested(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] int *at,
                       [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = at != nullptr ? x[i] * x[i] : x[i];
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void view(const double *x, [[kernix::shape("x")]] kernix::TensorView<int> at,
                     [[kernix::shape("x")]] double *y) {
  int i = thread();
  if (i < at.size(0)) {
    at(i) = x[i] > 1;
    y[i] = at.data() && at.stride(0) == 1 ? x[i] * x[i] : 0;
  }
}

// Without a shape: given by the caller of f.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void given(const double *x, int *at, [[kernix::shape("x")]] double *y,
                      [[kernix::value("x.numel()")]] int n) {
  square(x, y, at, n);
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void given_view(const double *x, kernix::TensorView<int> at, [[kernix::shape("x")]] double *y) {
  int i = thread();
  if (i < at.size(0)) {
    at(i) = x[i] > 1;
    y[i] = x[i] * x[i];
  }
}

// y = x * x * at.stride(0)
[[kernix::bind, kernix::differentiable]]
__global__ void strided(const double *x, [[kernix::shape("x")]] kernix::TensorView<int> at,
                        [[kernix::shape("x")]] double *y) {
  int i = thread();
  if (i < at.size(0)) {
    at(i) = 1;
    y[i] = x[i] * x[i] * at.stride(0);
  }
}

// y = x * sizeof(T), at is given
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("int", "short")]]
__global__ void variant(const double *x, T *at, [[kernix::shape("x")]] double *y) {
  int i = thread();
  at[i] = 1;
  y[i] = x[i] * sizeof(T);
}

// y = x * x where at is given, else x
[[kernix::bind, kernix::differentiable]]
__global__ void optional(const double *x, [[kernix::optional]] int *at, [[kernix::shape("x")]] double *y,
                         [[kernix::value("at.numel()")]] int n, [[kernix::value("x.numel()")]] int all) {
  int i = thread();
  if (i >= all)
    return;
  if (i < n)
    at[i] = 1;
  y[i] = i < n ? x[i] * x[i] : x[i];
}

// 100 is added where an output is not null.
__global__ void by_hand_bwd(const double *x, double *gx, [[kernix::optional]] int *at, double *, const double *gy,
                            int n) {
  int i = thread();
  if (i < n)
    gx[i] += 2 * x[i] * gy[i] + (at ? 100 : 0);
}
[[kernix::bind, kernix::backward_derivative(by_hand_bwd)]]
__global__ void by_hand(const double *x, [[kernix::shape("x")]] int *at, [[kernix::shape("x")]] double *y,
                        [[kernix::value("at.numel()")]] int n) {
  int i = thread();
  if (i < n) {
    at[i] = 1;
    y[i] = x[i] * x[i];
  }
}

// A value that is not given has the strides that f's own has: the cotangent's may be others.
[[kernix::bind, kernix::differentiable]]
__global__ void strided_value(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<double> y) {
  int i = thread();
  if (i < x.size(0))
    y(i) = x(i) * x(i) * y.stride(0);
}

[[kernix::bind, kernix::differentiable]]
void on_host(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<int> at,
             [[kernix::shape("x")]] kernix::TensorView<double> y, [[kernix::value("at.numel()")]] int n) {
  for (int i = 0; i < n; ++i) {
    at(i) = x(i) > 1;
    y(i) = at.data() ? x(i) * x(i) : 0;
  }
}

// Arrays, for which f_bwd has memory of its own.
[[kernix::bind, kernix::differentiable]]
double arrays(double x, [[kernix::intent(out_array_return, 3), kernix::no_diff]] double *powers,
              [[kernix::intent(out_array_return, 40), kernix::no_diff]] int *digits) {
  for (int i = 0; i < 3; ++i)
    powers[i] = i ? powers[i - 1] * x : 1;
  for (int i = 0; i < 40; ++i)
    digits[i] = i * static_cast<int>(x);
  return x * x * digits[39];
}
