// Tensors: pointers and views, stores, sums, atomics, what is read back, what is changed in place.
#include "bank.h"

using kernix::TensorView;

// bank: x in [n, m] -1:1 | y out [m, n] | n = 7 | m = 5 | @threads n * m
KERNEL void view_transposed(const TensorView<const T> x, TensorView<T> y, int n, int m) {
  int i = thread_index();
  if (i >= n * m)
    return;
  int r = i / m, c = i % m;
  y(c, r) = sin(x(r, c)) * x(r, c);
}

// bank: x in [n, m] -1:1 | y out [n, m] | n = 6 | m = 5 | @threads 30 | @strided x y
KERNEL void view_strides(const TensorView<const T> x, TensorView<T> y, int n, int m) {
  int i = thread_index();
  if (i >= x.size(0) * x.size(1))
    return;
  int r = i / m, c = i % m;
  y(r, c) = x(r, c) * x((r + 1) % n, c);
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void view_one_axis(const TensorView<const T> x, TensorView<T> y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * x[n - 1 - i];
}

// bank: x in [n, 4, 3] -1:1 | y out [n] | n = 9 | @strided x
KERNEL void view_three_axes(const TensorView<const T> x, TensorView<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int a = 0; a < x.size(1); ++a)
    for (int b = 0; b < x.size(2); ++b)
      s += x(i, a, b) * x(i, a, (b + 1) % 3);
  y(i) = s;
}

// bank: x in [n, m] -1:1 | w in [m] -1:1 | y out [n, m] | n = 6 | m = 5 | @block 4,4 | @grid 2,2 | @strided x y
KERNEL void softmax_of_views(const TensorView<const T> x, const TensorView<const T> w, TensorView<T> y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= x.size(0) || c >= x.size(1))
    return;
  T sum = 0;
  for (int k = 0; k < x.size(1); ++k)
    sum += exp(x(r, k));
  y(r, c) = exp(x(r, c)) / sum * w(c);
}

// bank: x in [n] -1:1 | at in i32 [n] 0:25 | y out [n] | n = 25
KERNEL void gather(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[at[i]] * x[at[i]];
}

// bank: x in [n] -1:1 | at in perm [n] | y out [n] | n = 25
KERNEL void scatter(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[at[i]] = exp(x[i]);
}

// bank: x in [n] -1:1 | at in i32 [n] 0:6 | y inout [6] | n = 25
KERNEL void scatter_add(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  if (i < n)
    atomicAdd(&y[at[i]], x[i] * x[i]);
}

// bank: x in [n] -1:1 | y inout [1] | n = 25
KERNEL void atomic_subtract(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    atomicAdd(y, -sin(x[i]));
}

// bank: x in [n, 5] -1:1 | y inout [2] | n = 12
KERNEL void atomic_in_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 5; ++k) {
    T v = x[5 * i + k];
    if (v > 0)
      atomicAdd(&y[k & 1], v * v * v);
  }
}

// bank: x in [n] -1:1 | y inout [n] | n = 25
KERNEL void plain_accumulation(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] += x[i] * x[i];
}

// bank: x in [n, 6] -1:1 | y inout [n] | n = 12
KERNEL void accumulation_in_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 6; ++k)
    y[i] += sin(x[6 * i + k]);
}

// bank: x in [n] -1:1 | y inout [n] -1:1 | n = 25
KERNEL void in_place_product(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = y[i] * x[i] + y[i] * y[i];
}

// bank: y inout [n] -1:1 | n = 25
KERNEL void in_place_only(T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = y[i];
  y[i] = v > 0 ? sin(v) : v * v;
}

// bank: y inout [n] -1:1 | n = 25
KERNEL void in_place_sometimes(T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = y[i];
  if (v > 0)
    y[i] = v * v;
}

// bank: x in [n] -1:1 | y inout [n] | z out [n] | n = 25
KERNEL void read_back_own_store(const T *x, T *y, T *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = sin(x[i]);
  z[i] = y[i] * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 25
KERNEL void overwritten_store(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = 100 * x[i];
  if (x[i] > 0)
    y[i] = x[i] * x[i];
}

// bank: x in [n] -1:1 | unused in [m] -1:1 | y out [n] | n = 25 | m = 4
KERNEL void input_never_used(const T *x, const T *unused, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * 3;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 25
KERNEL void input_used_as_condition_only(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = w[i] > 0 ? x[i] * x[i] : x[i];
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | z out [n] | n = 25
KERNEL void output_never_written(const T *x, const T *w, T *y, T *z, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[i];
}

// bank: x in [n] -1:1 | w same x | y out [n] | n = 25
KERNEL void same_tensor_twice(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[i] * w[(i + 1) % n];
}

// bank: x in [n] -1:1 | y inout [n] | z out [n] | count out i32 [n] | n = 25
KERNEL void several_outputs(const T *x, T *y, T *z, int *count, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  z[i] = y[i] * 0 + cos(x[i]);
  count[i] = x[i] > 0;
}

// bank: x in [n] -1:1 | w in [3] -1:1 | y out [n] | n = 25
KERNEL void one_weight_for_all(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = w[0] + w[1] * x[i] + w[2] * x[i] * x[i];
}

// bank: x in [n] -1:1 | w in [3] -1:1 | y out [n] | n = 25
KERNEL void convolution(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = -1; k <= 1; ++k) {
    int j = i + k;
    if (j >= 0 && j < n)
      s += x[j] * w[k + 1];
  }
  y[i] = s;
}

// bank: x in [n, k] -1:1 | w in [k, m] -1:1 | y out [n, m] | n = 5 | m = 4 | k = 6 | @threads n * m
KERNEL void matrix_product(const T *x, const T *w, T *y, int n, int m, int k) {
  int i = thread_index();
  if (i >= n * m)
    return;
  int r = i / m, c = i % m;
  T s = 0;
  for (int j = 0; j < k; ++j)
    s += x[r * k + j] * w[j * m + c];
  y[r * m + c] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 40 | @block 8,4 | @grid 2
KERNEL void two_dimensional_block(const T *x, T *y, int n) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}

// bank: x in [n, m] -1:1 | y out [n, m] | n = 6 | m = 9 | @block 4,4 | @grid 3,2
KERNEL void two_dimensional_grid(const T *x, T *y, int n, int m) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= n || c >= m)
    return;
  T left = c > 0 ? x[r * m + c - 1] : T(0);
  y[r * m + c] = x[r * m + c] * left + x[r * m + c];
}

// bank: x in [n] -1:1 | y out [n, 4] | n = 12
KERNEL void several_stores_per_thread(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T p = 1;
  for (int k = 0; k < 4; ++k) {
    p *= x[i];
    y[4 * i + k] = p;
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 24 | @threads n / 2
KERNEL void two_elements_per_thread(const T *x, T *y, int n) {
  int i = thread_index();
  if (2 * i + 1 >= n)
    return;
  y[2 * i] = x[2 * i] * x[2 * i + 1];
  y[2 * i + 1] = x[2 * i] - x[2 * i + 1];
}

// bank: x in [n] -1:1 | table in f32 [8] -1:1 nodiff | y out [n] | n = 24
KERNEL void tensor_without_gradient(const T *x, [[kernix::no_diff]] const float *table, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * table[i % 8];
}

// bank: x in [n] -1:1 | start in rowptr [5] | y out [4] | n = 20 | @threads 4
KERNEL void segments(const T *x, const int *start, T *y, int n) {
  int i = thread_index();
  if (i >= 4)
    return;
  T s = 0;
  for (int k = start[i]; k < start[i + 1]; ++k)
    s = s * T(0.5) + x[k];
  y[i] = s;
}

// bank: x in [n, 4] -1:1 | y out [4, n] | n = 9
KERNEL void planes(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 4; ++k) {
    T s = 0;
    for (int j = 0; j <= k; ++j)
      s += x[4 * i + j] * x[4 * i + k - j];
    y[k * n + i] = s * s;
  }
}

// bank: x in [n, m] -1:1 | y out [m, n] | n = 9 | m = 5
KERNEL void planes_of_a_number(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i < n)
    for (int k = 0; k < m; ++k)
      y[k * n + i] = x[m * i + k] * x[m * i];
}

// bank: x in [n, 3] -1:1 | y out [3, n] | n = 9
KERNEL void planes_one_by_one(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[3 * i] * x[3 * i + 1];
  y[n + i] = sin(x[3 * i + 1]);
  if (x[3 * i + 2] > 0)
    y[i] = x[3 * i + 2] * x[3 * i];
  y[2 * n + i] = x[3 * i + 2];
}

// bank: x in [n, 4] -1:1 | y inout [n, 3] | n = 9
KERNEL void neighbours_in_place(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *p = x + 4 * i;
  T *q = y + 3 * i;
  q[0] += p[0] * p[1];
  q[0] += p[2] * p[2];
  q[1] = q[1] * p[3] + 1;
  q[2] *= p[0];
}

// bank: a inout [7, 9] -1:1 | @block 4,2 | @grid 2,2 | @strided a
KERNEL void squared_in_place(kernix::TensorView<T> a) {
  for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < a.size(0); i += gridDim.y * blockDim.y)
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < a.size(1); j += gridDim.x * blockDim.x)
      a(i, j) = a(i, j) * a(i, j);
}

// bank: a inout [63] -1:1 | w in [9] -1:1 | rows = 7 | columns = 9 | @block 4,2 | @grid 2,2
KERNEL void weighted_in_place(T *a, const T *w, int rows, int columns) {
  for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < rows; i += gridDim.y * blockDim.y)
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < columns; j += gridDim.x * blockDim.x) {
      T before = a[i * columns + j];
      if (before > 0)
        a[i * columns + j] = before * sin(w[j]) + before * before;
    }
}

// bank: a inout [11] -1:1 | @block 4,1 | @grid 1,1
KERNEL void one_axis_in_place(kernix::TensorView<T> a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.size(0); i += gridDim.x * blockDim.x)
    a(i) = a(i) * sin(a(i));
}

// bank: a inout [5, 6] -1:1 | x in [6] -1:1 | n = 5
KERNEL void rows_in_place(kernix::TensorView<T> a, kernix::TensorView<const T> x, int n) {
  int i = thread_index();
  if (i < n)
    for (int j = 0; j < a.size(1); ++j)
      a(i, j) = a(i, j) * a(i, j) * x(j);
}
