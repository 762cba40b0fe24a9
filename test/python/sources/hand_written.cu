// Derivatives that are written by hand, of bound kernels and host functions. Each gives ten times the derivative, so
// that a gradient shows whether it was used.
#include <kernix/kernix.h>

__device__ int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// Both directions of a kernel. The gradient of a is added to without a test for null.
__global__ void scaled_backward(const double *x, double *gx, double *, const double *gy, double a, double *ga, int n) {
  int i = thread();
  if (i >= n)
    return;
  gx[i] += 10 * a * gy[i];
  atomicAdd(ga, 10 * x[i] * gy[i]);
}
__global__ void scaled_forward(const double *x, const double *dx, double *y, double *dy, double a, double da, int n) {
  int i = thread();
  if (i >= n)
    return;
  y[i] = a * x[i];
  dy[i] = 10 * (a * dx[i] + da * x[i]);
}
[[kernix::bind, kernix::differentiable, kernix::backward_derivative(scaled_backward),
  kernix::forward_derivative(scaled_forward)]]
__global__ void scaled(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                       [[kernix::diff]] double a, [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = a * x[i];
}

// One direction by hand, the other by the compiler; a template and its instances.
template <class T> __global__ void square_backward(const T *x, T *gx, T *, const T *gy, int n) {
  int i = thread();
  if (i < n)
    gx[i] += 20 * x[i] * gy[i];
}
template <class T>
[[kernix::bind, kernix::differentiable, kernix::backward_derivative(square_backward),
  kernix::instantiate("float", "double")]]
__global__ void square(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                       [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = x[i] * x[i];
}
__global__ void cube_forward(const double *x, const double *dx, double *y, double *dy, int n) {
  int i = thread();
  if (i >= n)
    return;
  y[i] = x[i] * x[i] * x[i];
  dy[i] = 30 * x[i] * x[i] * dx[i];
}
[[kernix::bind, kernix::differentiable, kernix::forward_derivative(cube_forward)]]
__global__ void cube(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                     [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}

// A rule is enough: nothing else is differentiated.
[[kernix::bind, kernix::forward_derivative(cube_forward)]]
__global__ void only_forward(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                             [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}

// A backward that reads what f has written.
__global__ void activated_backward(const double *, double *gx, double *y, const double *gy, int n) {
  int i = thread();
  if (i < n)
    gx[i] += 10 * (1 - y[i] * y[i]) * gy[i];
}
[[kernix::bind, kernix::backward_derivative(activated_backward)]]
__global__ void activated(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                          [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    y[i] = tanh(x[i]);
}

// A backward with a launch of its own, in terms of its own names: one thread for all elements.
[[kernix::grid("1"), kernix::block(1)]]
__global__ void summed_backward(const double *values, double *slopes, double *, const double *g,
                                [[kernix::optional]] const double *weights, double *gweights, int count) {
  for (int i = 0; i < count; ++i) {
    slopes[i] += 10 * g[0] * (weights ? weights[i] : 1);
    if (gweights)
      gweights[i] += 10 * g[0] * values[i];
  }
  slopes[0] += blockDim.x * gridDim.x - 1; // a hundred threads would be seen
}
[[kernix::bind, kernix::backward_derivative(summed_backward)]]
__global__ void summed(const double *x, [[kernix::intent(out_return), kernix::shape("1")]] double *y,
                       [[kernix::optional]] const double *w, [[kernix::value("x.numel()")]] int n) {
  int i = thread();
  if (i < n)
    atomicAdd(y, x[i] * (w ? w[i] : 1));
}

// Host functions that launch kernels, with typed views.
__global__ void multiply(const double *a, const double *b, double *c, int n) {
  int i = thread();
  if (i < n)
    c[i] = a[i] * b[i];
}
__global__ void add_product(double factor, const double *a, const double *b, double *c, int n) {
  int i = thread();
  if (i < n)
    c[i] += factor * a[i] * b[i];
}
using Input = kernix::TensorView<const double>;
using Output = kernix::TensorView<double>;
int blocks(int n) { return (n + 127) / 128; }
void product_backward(Input a, Output ga, Input b, Output gb, Output, Output gc, cudaStream_t stream) {
  int n = static_cast<int>(a.numel());
  add_product<<<blocks(n), 128, 0, stream>>>(10, b.data(), gc.data(), ga.data(), n);
  add_product<<<blocks(n), 128, 0, stream>>>(10, a.data(), gc.data(), gb.data(), n);
}
void product_forward(Input a, Input da, Input b, Input db, Output c, Output dc, cudaStream_t stream) {
  int n = static_cast<int>(a.numel());
  multiply<<<blocks(n), 128, 0, stream>>>(a.data(), b.data(), c.data(), n);
  multiply<<<blocks(n), 128, 0, stream>>>(a.data(), db.data(), dc.data(), n);
  add_product<<<blocks(n), 128, 0, stream>>>(1, b.data(), da.data(), dc.data(), n);
}
[[kernix::bind, kernix::differentiable, kernix::backward_derivative(product_backward),
  kernix::forward_derivative(product_forward)]]
void product(Input a, Input b, [[kernix::intent(out_return), kernix::shape("a")]] Output c, cudaStream_t stream) {
  int n = static_cast<int>(a.numel());
  multiply<<<blocks(n), 128, 0, stream>>>(a.data(), b.data(), c.data(), n);
}

// The same of tensors whose element type is known when they are called.
void untyped_backward(const kernix::Tensor a, kernix::Tensor ga, const kernix::Tensor b, kernix::Tensor gb,
                      kernix::Tensor, const kernix::Tensor gc, cudaStream_t stream) {
  int n = static_cast<int>(a.numel());
  add_product<<<blocks(n), 128, 0, stream>>>(10, b.data_ptr<double>(), gc.data_ptr<double>(), ga.data_ptr<double>(), n);
  add_product<<<blocks(n), 128, 0, stream>>>(10, a.data_ptr<double>(), gc.data_ptr<double>(), gb.data_ptr<double>(), n);
}
[[kernix::bind, kernix::backward_derivative(untyped_backward)]]
void untyped(const kernix::Tensor a, const kernix::Tensor b,
             [[kernix::intent(out_return), kernix::shape("a")]] kernix::Tensor c, cudaStream_t stream) {
  int n = static_cast<int>(a.numel());
  multiply<<<blocks(n), 128, 0, stream>>>(a.data_ptr<double>(), b.data_ptr<double>(), c.data_ptr<double>(), n);
}
[[kernix::bind, kernix::backward_derivative(untyped_backward)]]
void untyped_given(const kernix::Tensor a, const kernix::Tensor b, kernix::Tensor c, cudaStream_t stream) {
  untyped(a, b, c, stream);
}

// A host function that computes itself, and a number that it returns.
void hypotenuse_backward(double a, double *ga, double b, double *gb, double g) {
  *ga += 10 * a / sqrt(a * a + b * b) * g;
  *gb += 10 * b / sqrt(a * a + b * b) * g;
}
[[kernix::bind, kernix::backward_derivative(hypotenuse_backward)]] double hypotenuse(double a, double b) {
  return sqrt(a * a + b * b);
}
