// Functions for test_derivatives.py, test_autograd.py and test_gradcheck.py.
#include <kernix/kernix.h>

#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

/// Scales the sine.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void scaled_sine(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y, [[kernix::diff]] T a,
                            T b, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = a * sin(x[i]) + b;
}

// All threads read the weights: their gradients meet in one address. The output is the caller's.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void polynomial(const T *x, const T *w, T *y, int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = w[0] + x[i] * (w[1] + x[i] * w[2]);
}

// Two outputs, of which one is no number to differentiate; an index that has no gradient.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void gathered(const T *x, const int *at, [[kernix::intent(out_return), kernix::shape("at")]] T *y,
                         [[kernix::intent(out_return), kernix::shape("at")]] int *positive,
                         [[kernix::value("at.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  y[i] = x[at[i]] * x[at[i]];
  positive[i] = x[at[i]] > 0;
}

// Changed in place, with an attribute and by its own value.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void squared_in_place([[kernix::intent(inout_ptr)]] T *y, const T *x, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = y[i] * y[i] * x[i];
}

template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void products(const kernix::TensorView<const T> x, kernix::TensorView<T> y) {
  int i = GLOBAL_INDEX;
  if (i < x.size(0) * x.size(1))
    y(i / x.size(1), i % x.size(1)) = x(i / x.size(1), i % x.size(1)) * x(0, 0);
}

template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]]
__global__ void looked_up(const T *x, [[kernix::no_diff]] const T *table, const T *unused, [[kernix::shape("x")]] T *y,
                          [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i] * table[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void looked_up_from_the_end([[kernix::intent(inout_ptr)]] double *y, const double *x,
                                       [[kernix::no_diff]] kernix::TensorView<const double> table,
                                       [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = 0 * y[i] + x[i] * x[i] * table(n - 1 - i);
}

struct Line {
  double slope;
  int shift;
  double offset;
};
[[kernix::bind, kernix::differentiable]]
__global__ void on_a_line(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                          [[kernix::diff]] Line line, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = line.slope * (x[i] - line.shift) + line.offset * line.offset;
}

[[kernix::bind, kernix::differentiable(forward)]]
__global__ void only_forward(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                             [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void only_backward(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                              [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}

[[kernix::bind]]
__global__ void plain(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                      [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] * x[i];
}

// A derivative written by hand, and wrong, would be found by gradcheck; so is a kink.
[[kernix::bind, kernix::differentiable]]
__global__ void half_wave(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                          [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i] > 0 ? x[i] : 0;
}

[[kernix::bind, kernix::differentiable]]
__global__ void single_precision(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                                 [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = expf(x[i]) * x[i];
}

// What its backward needs of the inputs: nothing but the index.
[[kernix::bind, kernix::differentiable]]
__global__ void linear(const double *x, const int *at, [[kernix::intent(out_return), kernix::shape("at")]] double *y,
                       [[kernix::value("at.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = 3 * x[at[i]];
}

[[kernix::bind, kernix::differentiable]]
__global__ void added([[kernix::intent(inout_ptr)]] double *y, const double *x, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] += x[i] * x[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void two_ways(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *left,
                         [[kernix::intent(out_return), kernix::shape("x")]] double *right,
                         [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  left[i] = 3 * x[i];
  right[i] = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void with_extra(const double *x, double *y, [[kernix::optional]] double *extra,
                           [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  if (extra)
    extra[i] = 3 * x[i];
}

[[kernix::bind, kernix::differentiable]]
double half_of([[kernix::diff]] double x) {
  return x / 2;
}

// Elements of one plane after the other, if the stride is that of planes.
[[kernix::bind, kernix::differentiable]]
__global__ void two_planes(const double *x, [[kernix::intent(out_return), kernix::shape("2 * n")]] double *y,
                           int stride, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  y[stride + i] = sin(x[i]);
}

// Rows with room behind them, if the columns are no more than that.
[[kernix::bind, kernix::differentiable]]
__global__ void squares_of_rows(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y, int rows,
                                int columns, int stride) {
  for (int row = 0; row < rows; ++row)
    for (int c = threadIdx.x; c < columns; c += 2)
      y[row * stride + c] = x[row * stride + c] * x[row * stride + c];
}

/// Rows of four, with a constant behind what is stored of them.
[[kernix::bind, kernix::differentiable]]
__global__ void rows_with_ends(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                               int columns, int end) {
  const int row = 4 * threadIdx.x;
  for (int column = 0; column < columns; ++column)
    y[row + column] = x[row + column] * x[row + column];
  y[row + end] = 1;
}

// Two rows and columns of a matrix for each thread, if the matrix has that many columns.
[[kernix::bind, kernix::differentiable]]
__global__ void squares_of_tiles(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                                 int columns) {
  for (int r = 0; r < 2; ++r)
    for (int s = 0; s < 2; ++s) {
      const int i = (2 * threadIdx.x + r) * columns + s;
      y[i] = x[i] * x[i];
    }
}

/// Integers that are changed: one that a derivative needs from before, and one that it does not need.
[[kernix::bind, kernix::differentiable]] __global__ void counted(const double *x, [[kernix::shape("x")]] double *y,
                                                                 int *times, int *total,
                                                                 [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int before = times[i];
  times[i] = before + 1;
  atomicAdd(total, 1);
  y[i] = x[i] * before;
}

[[kernix::bind, kernix::differentiable]]
__global__ void squares_in_place([[kernix::intent(inout_ptr)]] double *a, int rows, int columns, int stride) {
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    for (int c = 0; c < columns; ++c)
      a[row * stride + c] *= a[row * stride + c];
}

/// The width is some bits of a number, or what is left of one.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_low_half(const double *x, double *y, int rows, int columns, long sizes) {
  int stride = static_cast<int>(sizes);
  for (int row = 0; row < rows; ++row)
    for (int c = 0; c < columns; ++c)
      y[row * stride + c] = x[row] * c;
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_sums_of_words(const double *x, double *y, int rows, int columns, long step) {
  for (int row = 0; row < rows; ++row) {
    long packed = row * step;
    for (int c = 0; c < columns; ++c)
      y[(packed & 0xffffffff) + c] = x[row] * c;
  }
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_shifted_words(const double *x, double *y, int rows, int columns, long step) {
  for (int row = 0; row < rows; ++row) {
    long packed = row * step;
    for (int c = 0; c < columns; ++c)
      y[(packed << 32 >> 32) + c] = x[row] * c;
  }
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_without_area(const double *x, double *y, int rows, long columns, unsigned side, int stride) {
  for (int row = 0; row < rows; ++row)
    for (long c = 0; c < columns - side * side; ++c)
      y[row * stride + c] = x[row] * c;
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_wrapped_product(const double *x, double *y, int rows, int columns, unsigned step, size_t width,
                                        size_t stride) {
  for (unsigned row = 0; row < rows; ++row)
    for (int c = 0; c < columns; ++c) {
      size_t at = static_cast<size_t>(row * step * step) + c;
      y[at / width * stride + at % width] = x[row] * c;
    }
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_rest_of_block(const double *x, double *y, int rows) {
  for (int row = 0; row < rows; ++row)
    if (threadIdx.x == 0)
      y[row * (blockDim.x % 32)] = x[row] * row;
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_four([[kernix::intent(inout_ptr)]] double *a, int rows) {
  for (int row = 0; row < rows; ++row) {
    double v = a[row * 4 + threadIdx.x];
    __syncthreads();
    a[row * 4 + threadIdx.x] = v * v;
    __syncthreads();
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void two_rows_of_eight(const double *x, double *y) {
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[8 + threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// A warp for each row.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_warps(const double *x, double *y, int rows, int columns) {
  int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  for (int row = threadIdx.x / 32; row < rows; row += warps) {
    y[row * columns + lane] = (row + 1) * x[threadIdx.x];
    __syncwarp();
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_in_steps(const double *x, double *y, int steps, int width) {
  for (int step = 0; step < steps; ++step) {
    y[step * width + threadIdx.x] = (step + 1) * x[threadIdx.x];
    __syncthreads();
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void planes_in_steps(const double *x, double *y, int steps, int rows, int columns) {
  int c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  bool inside = c < columns && r < rows;
  double v = x[min(r, rows - 1) * columns + min(c, columns - 1)];
  for (int step = 0; step < steps; ++step) {
    if (inside)
      y[(step * rows + r) * columns + c] = (step + 1) * v;
    __syncthreads();
  }
}

[[kernix::bind, kernix::differentiable]]
__global__ void by_strides_of_another(kernix::TensorView<const double> x, const double *w,
                                      [[kernix::shape("x.size(0)")]] double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    y[i] = x(i) * w[i * x.stride(0)];
}

[[kernix::bind, kernix::differentiable]]
__global__ void by_address(kernix::TensorView<const double> x, [[kernix::shape("x.size(0)")]] double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    y[i] = x.data()[i] * x.data()[i];
}

[[kernix::bind, kernix::differentiable(forward)]]
__global__ void replaced_by_neighbours([[kernix::intent(inout_ptr)]] double *x, const double *y,
                                       [[kernix::shape("y")]] double *z) {
  int i = threadIdx.x;
  x[i] = y[i] * y[i];
  __syncthreads();
  x[i + 1] = 3 * y[i];
  __syncthreads();
  z[i] = x[i] * x[i];
}

/// The first lane of every warp stores what all of them have.
[[kernix::bind, kernix::differentiable(backward)]] __global__ void stored_by_warps(const double *x, double *y) {
  __shared__ double total;
  if (threadIdx.x == 0)
    total = x[blockIdx.x] * x[blockIdx.x];
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    y[blockIdx.x] = total;
}

/// To LLVM, pow of one half is the absolute value of a square root.
[[kernix::bind, kernix::differentiable]] __global__ void root(const double *x, [[kernix::shape("x")]] double *y,
                                                              [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = pow(x[i], 0.5);
}

[[kernix::bind, kernix::differentiable]]
__global__ void fast_sine(const double *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sin(30 * x[i]);
}
