// Functions with second derivatives, for test_second_derivatives.py.
#include <kernix/kernix.h>

#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void damped_sine(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y, [[kernix::diff]] T a,
                            T b, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = a * a * sin(x[i]) * exp(-b * x[i]);
}

// Gradients of all threads meet in the weights; the output is the caller's.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void polynomial(const T *x, const T *w, T *y, int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = w[0] + x[i] * (w[1] * w[1] + x[i] * w[2]);
}

template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void products(const kernix::TensorView<const T> x, kernix::TensorView<T> y) {
  int i = GLOBAL_INDEX;
  if (i < x.size(0) * x.size(1))
    y(i / x.size(1), i % x.size(1)) = x(i / x.size(1), i % x.size(1)) * x(0, 0);
}

// Nonlinear in all inputs, a loop that carries its state, and a neighbour that is read by two threads.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void relaxed(const T *x, const T *w, [[kernix::intent(out_return), kernix::shape("x")]] T *y, int steps,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  T state = x[i];
  for (int k = 0; k < steps; ++k)
    state = state + T(0.25) * (tanh(w[0] * state) - state * state * x[(i + 1) % n]);
  y[i] = state > 0 ? state * state * w[1] : state * w[1];
}

// Sums over a row, twice: what each thread reads overlaps with what others read.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void softmax(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                        [[kernix::value("x.size(0)")]] int n, [[kernix::value("x.size(1)")]] int m) {
  int i = GLOBAL_INDEX;
  if (i >= n * m)
    return;
  const T *row = x + i / m * m;
  T largest = row[0];
  for (int k = 1; k < m; ++k)
    largest = row[k] > largest ? row[k] : largest;
  T sum = 0;
  for (int k = 0; k < m; ++k)
    sum += exp(row[k] - largest);
  y[i] = exp(row[i % m] - largest) / sum;
}

// Two outputs, of which a loss may use one.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]]
__global__ void both_ways(const T *x, const T *scale, [[kernix::intent(out_return), kernix::shape("x")]] T *up,
                          [[kernix::intent(out_return), kernix::shape("x")]] T *down,
                          [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  up[i] = exp(scale[0] * x[i]);
  down[i] = log(scale[0] + x[i] * x[i]);
}

// Which of the stores are to one element is known when it runs.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void two_planes(const double *x, [[kernix::intent(out_return), kernix::shape("2 * n")]] double *y,
                           int stride, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  y[stride + i] = sin(x[i]);
}

[[kernix::bind, kernix::differentiable(2)]] double iterated(double x, int n) {
  double y = 1;
  int k = 0;
  [[kernix::max_iters(4)]] while (k < n) {
    y = y * x + sin(y);
    ++k;
  }
  return y;
}

// Host functions, of which several additions go to one element of a gradient.

[[kernix::bind, kernix::differentiable(2)]] void
weighted(kernix::TensorView<const double> x, kernix::TensorView<const double> w, kernix::TensorView<double> y) {
  for (int i = 0; i < static_cast<int>(x.shape[0]); ++i)
    y(i) = w(0) * w(0) * x(i) * x(i) * w(i % 2);
}

[[kernix::bind, kernix::differentiable(2)]] void scaled_sum(kernix::TensorView<const double> x, double s,
                                                            kernix::TensorView<double> y) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += x(0) * x(1) * x(i % 2) * s * i;
  y(0) = sum;
  y(1) = s * s * x(0);
}

// For blocks of at most 32 threads: in larger ones two store to the last element.
[[kernix::bind, kernix::differentiable(2)]] __global__ void with_last(const double *x, double *y) {
  __shared__ double tile[65];
  int t = threadIdx.x;
  tile[t] = x[t] * x[t];
  if (t == 31)
    tile[32] = x[32];
  __syncthreads();
  y[t] = tile[t + 1];
}

/// The launch is asked twice: whether threads and elements of both arrays are one and the same.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void turned_and_summed(const double *x, const int *at, double *y) {
  __shared__ double sums[128], turned[128];
  const int t = threadIdx.x, n = blockDim.x;
  sums[t] = x[t];
  __syncthreads();
  for (int step = n / 2; step > 0; step /= 2) {
    if (t < step)
      sums[t] += sums[t + step];
    __syncthreads();
  }
  turned[(t + 5) % n] = x[t] * x[t];
  __syncthreads();
  y[t] = turned[t] * sums[0];
}

/// Looks at the pointers of its outputs.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void where_wanted(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] double *z) {
  const int i = threadIdx.x;
  if (y)
    y[i] = x[i] * x[i];
  if (z != y)
    z[i] = sin(x[i]);
}

/// An output that the call allocates and changes, whose value no derivative reads.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void sum_of_cubes(const double *x, [[kernix::shape("1")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(y, x[i] * x[i] * x[i]);
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void perhaps_weighted(const double *x, [[kernix::optional]] const double *w,
                                 [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double v = w ? x[i] * w[i] : x[i];
  y[i] = v * v;
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void bessel(const double *x, const int *order, [[kernix::shape("x")]] double *y,
                       [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = jn(order[i], x[i]);
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void powers(const double *x, const double *e, [[kernix::shape("x")]] double *y,
                       [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = pow(x[i], e[i]);
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void cubed(const double *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}

// Its first gradient is assigned.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void cubed_once([[kernix::diff(once)]] const double *x, [[kernix::shape("x")]] double *y,
                           [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
