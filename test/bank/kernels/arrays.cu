// Local arrays and pointers into them.
#include "bank.h"

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void constant_indices(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3];
  a[0] = x[i];
  a[1] = a[0] * a[0];
  a[2] = a[1] * a[0] + a[1];
  y[i] = a[0] + 2 * a[1] + 3 * a[2];
}

// bank: x in [n, 4] -1:1 | at in i32 [n] 0:4 | y out [n] | n = 30
KERNEL void computed_index_read(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4];
  for (int k = 0; k < 4; ++k)
    a[k] = x[i * 4 + k] * (k + 1);
  y[i] = a[at[i]] * a[(at[i] + 1) % 4];
}

// bank: x in [n, 4] -1:1 | at in i32 [n, 4] 0:4 | y out [n] | n = 30
KERNEL void computed_index_write(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4] = {1, 2, 3, 4};
  for (int k = 0; k < 4; ++k)
    a[at[i * 4 + k]] = x[i * 4 + k];
  y[i] = a[0] * a[1] + a[2] * a[3];
}

// bank: x in [n, 8] -1:1 | bin in i32 [n, 8] 0:3 | y out [n] | n = 12
KERNEL void histogram_in_registers(const T *x, const int *bin, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sums[3] = {};
  for (int k = 0; k < 8; ++k)
    sums[bin[i * 8 + k]] += x[i * 8 + k];
  y[i] = sums[0] * sums[1] * sums[2] + sums[0];
}

// bank: x in [n, 5] -1:1 | y out [n] | n = 12
KERNEL void changed_in_sequential_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[5];
  for (int k = 0; k < 5; ++k)
    a[k] = x[i * 5 + k];
  for (int round = 0; round < 3; ++round)
    for (int k = 1; k < 5; ++k)
      a[k] = a[k] * a[k - 1] + T(0.5) * sin(a[k]);
  y[i] = a[4] + a[2];
}

// bank: x in [n, 6] -1:1 | len in i32 [n] 2:12 | y out [n] | n = 12
ONCE_KERNEL void changed_in_loop_of_unknown_length(const T *x, const int *len, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[6];
  for (int k = 0; k < 6; ++k)
    a[k] = x[i * 6 + k];
  for (int s = 0; s < len[i]; ++s) {
    int j = (s * 5 + i) % 6;
    a[j] = a[j] * a[(j + 2) % 6] + T(0.3);
  }
  T sum = 0;
  for (int k = 0; k < 6; ++k)
    sum += a[k] * a[k];
  y[i] = sum;
}

// bank: x in [n, 4] -1:1 | y out [n, 4] | n = 12
KERNEL void reverse_in_place(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4];
  for (int k = 0; k < 4; ++k)
    a[k] = x[i * 4 + k];
  for (int k = 0; k < 2; ++k) {
    T t = a[k];
    a[k] = a[3 - k];
    a[3 - k] = t;
  }
  for (int k = 0; k < 4; ++k)
    y[i * 4 + k] = a[k] * (k + 1);
}

// bank: x in [n, 5] -1:1 | y out [n, 5] | n = 12
KERNEL void bubble_sort(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[5];
  for (int k = 0; k < 5; ++k)
    a[k] = x[i * 5 + k];
  for (int p = 0; p < 4; ++p)
    for (int k = 0; k < 4 - p; ++k)
      if (a[k] > a[k + 1]) {
        T t = a[k];
        a[k] = a[k + 1];
        a[k + 1] = t;
      }
  for (int k = 0; k < 5; ++k)
    y[i * 5 + k] = a[k] * (k + 1);
}

// bank: x in [n, 6] -1:1 | y out [n] | n = 12
KERNEL void two_dimensional_array(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T m[2][3];
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c)
      m[r][c] = x[i * 6 + c * 2 + r];
  T s = 0;
  for (int c = 0; c < 3; ++c)
    s += m[0][c] * m[1][2 - c];
  y[i] = s * m[1][1];
}

// bank: x in [n] -1:1 | y out [n] | n = 12
KERNEL void pointer_into_array(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4] = {x[i], 1, 2, 3};
  T *p = a + 1;
  *p = x[i] * x[i];
  p[1] += *p;
  *(p + 2) = p[-1] * p[1];
  y[i] = a[0] + a[1] * a[2] + a[3];
}

// bank: x in [n] -1:1 | y out [n] | n = 12
KERNEL void pointer_chosen_by_branch(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[2] = {x[i], x[i] * x[i]};
  T b[2] = {1, sin(x[i])};
  T *p = i % 2 ? a : b;
  p[1] *= 3;
  y[i] = a[0] * b[0] + a[1] + b[1];
}

// bank: x in [n, 6] -1:1 | y out [n] | n = 12
KERNEL void walking_pointer(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  const T *end = x + i * 6 + 6;
  for (const T *p = x + i * 6; p != end; ++p)
    s = s * *p + *p;
  y[i] = s;
}

// bank: x in [n, 3] -1:1 | y out [n] | n = 12
KERNEL void reference_to_element(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3] = {x[i * 3], x[i * 3 + 1], x[i * 3 + 2]};
  T &middle = a[1];
  middle += a[0] * a[2];
  const T &first = a[0];
  a[0] = middle * 2;
  y[i] = first * a[1];
}

template <class T> __device__ void swap_values(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
KERNEL void swap_by_reference(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[2 * i], b = x[2 * i + 1];
  if (a < b)
    swap_values(a, b);
  y[i] = a * a + b;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
KERNEL void standard_swap(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[2 * i] * 2, b = sin(x[2 * i + 1]);
  std::swap(a, b);
  y[i] = a / (2 + b);
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 20
KERNEL void copied_by_memcpy(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4], b[4];
  memcpy(a, x + 4 * i, sizeof a);
  a[2] *= a[1];
  memcpy(b, a, sizeof b);
  b[0] += b[2];
  y[i] = a[0] * b[0] + b[3] * a[2];
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 20
KERNEL void cleared_by_memset(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4] = {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
  T before = a[1] * a[3];
  memset(a + 1, 0, 2 * sizeof(T));
  a[2] += a[0] * a[3];
  y[i] = a[0] + a[1] + a[2] * a[3] + before;
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 20
KERNEL void moved_by_memmove(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[5] = {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3], 1};
  __builtin_memmove(a + 1, a, 4 * sizeof(T));
  a[0] = 2;
  y[i] = a[0] * a[1] + a[2] * a[3] * a[4];
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void ring_buffer(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T ring[3] = {x[i], T(0.5), T(-0.25)};
  for (int k = 3; k < 12; ++k)
    ring[k % 3] = ring[(k - 1) % 3] * T(0.8) + sin(ring[(k - 3) % 3]) * T(0.5);
  y[i] = ring[0] + ring[1] * ring[2];
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void triangle_of_binomials(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T row[6] = {1};
  for (int k = 1; k < 6; ++k)
    for (int j = k; j > 0; --j)
      row[j] += row[j - 1] * x[i];
  y[i] = row[3] + row[5] * row[1];
}

// bank: x in [n, 9] -1:1 | y out [n, 3] | n = 10
KERNEL void gauss_elimination(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3][3], b[3] = {1, 2, 3};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      a[r][c] = x[i * 9 + r * 3 + c] + (r == c ? T(3) : T(0));
  for (int p = 0; p < 3; ++p)
    for (int r = p + 1; r < 3; ++r) {
      T f = a[r][p] / a[p][p];
      for (int c = p; c < 3; ++c)
        a[r][c] -= f * a[p][c];
      b[r] -= f * b[p];
    }
  for (int r = 2; r >= 0; --r) {
    T s = b[r];
    for (int c = r + 1; c < 3; ++c)
      s -= a[r][c] * b[c];
    b[r] = s / a[r][r];
  }
  for (int r = 0; r < 3; ++r)
    y[i * 3 + r] = b[r];
}

// bank: x in [n, 5] -1:1 | y out [n] | n = 20
KERNEL void de_casteljau(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T p[5];
  for (int k = 0; k < 5; ++k)
    p[k] = x[i * 5 + k];
  T t = T(0.5) + T(0.3) * x[i * 5];
  for (int k = 4; k > 0; --k)
    for (int j = 0; j < k; ++j)
      p[j] = (1 - t) * p[j] + t * p[j + 1];
  y[i] = p[0];
}

// bank: x in [n, 8] -1:1 | y out [n] | n = 10
KERNEL void stack_machine(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T stack[8];
  int top = 0;
  for (int k = 0; k < 8; ++k) {
    stack[top++] = x[i * 8 + k];
    if (k % 3 == 2) {
      stack[top - 2] *= stack[top - 1];
      --top;
    }
  }
  T s = 0;
  while (top > 0)
    s = s * T(0.5) + stack[--top];
  y[i] = s;
}
