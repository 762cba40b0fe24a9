// Memory: what several threads touch, what cannot be read again in the backward kernel.
#include "../kernels/bank.h"

PLAIN_KERNEL void result_of_an_atomic(const float *x, float *sum, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: atomic
  float before = atomicAdd(sum, x[i]);
  y[i] = before * x[i];
}

PLAIN_KERNEL void atomic_slot_as_address(const float *x, int *count, float *y, int n) {
  int i = thread_index();
  if (i >= n || x[i] < 0)
    return;
  // refused: atomic
  int slot = atomicAdd(count, 1);
  y[slot] = x[i] * x[i];
}

PLAIN_KERNEL void atomic_maximum(const float *x, int *y, float *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: atomic|integer|bits|bytes
  atomicMax(y, __float_as_int(x[i]));
  z[i] = x[i];
}

PLAIN_KERNEL void atomic_exchange(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: atomic|integer|bits|bytes
    atomicExch(&y[i % 3], x[i] * x[i]);
}

PLAIN_KERNEL void everybody_stores_to_one(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: several threads|same address|one thread
    y[0] = x[i] * x[i];
}

PLAIN_KERNEL void another_threads_write(const float *x, float *y, float *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  // refused: thread|written|stores
  z[i] = y[(i + 1) % n] * x[i];
}

__device__ float last_value;

PLAIN_KERNEL void store_to_a_global(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: global
  last_value = x[i] * 2;
  y[i] = x[i];
}

PLAIN_KERNEL void plain_and_atomic(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i];
  // refused: atomic
  atomicAdd(&y[(i + 1) % n], x[i]);
}

PLAIN_KERNEL void volatile_read(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const volatile float *p = x;
  // refused: volatile
  y[i] = p[i] * p[i];
}

PLAIN_KERNEL void clock_as_factor(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: clock
    y[i] = x[i] * static_cast<float>(clock64() & 7);
}

PLAIN_KERNEL void scattered_in_a_loop(const float *x, const int *at, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 4; ++k)
    // refused: local variable|address
    y[at[i * 4 + k]] = x[i] * k;
}

__device__ const float *rows[4];

PLAIN_KERNEL void pointer_from_memory(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: pointer
    y[i] = rows[i & 3][0] * x[i];
}

PLAIN_KERNEL void written_before_it_is_read(const float *x, float *y, int n) {
  int i = thread_index();
  if (i + 1 >= n)
    return;
  y[i] = x[i] * x[i];
  // refused: thread|written|stores
  y[i] = y[i] * y[i + 1];
}

PLAIN_KERNEL void exchanged_atomically(const float *x, float *y, int n) {
  // refused: an atomic operation other than addition
  atomicExch(&y[threadIdx.x & 1], x[threadIdx.x]);
}

PLAIN_KERNEL void added_by_comparing_and_swapping(const float *x, float *y, int n) {
  int *place = reinterpret_cast<int *>(y);
  int old = *place, assumed;
  do {
    assumed = old;
    // refused: an atomic operation other than addition
    old = atomicCAS(place, assumed, __float_as_int(x[threadIdx.x] + __int_as_float(assumed)));
  } while (assumed != old);
}

// Pointers beside members, of which the compiler loses track.
struct Row {
  int k;
  double v[70];
};
struct RowItem {
  const Row *row;
  int weight;
};
PLAIN_KERNEL void row_by_unknown_pointer(const double *x, const int *at, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Row rows[3];
  for (int j = 0; j < 3; ++j) {
    rows[j].k = j;
    for (int q = 0; q < 70; ++q)
      rows[j].v[q] = x[i] * x[i] * (j + 1);
  }
  RowItem items[3] = {{&rows[0], 1}, {&rows[1], 2}, {&rows[2], 4}};
  // refused: not known where this pointer leads
  Row row = *items[at[i]].row;
  y[i] = row.v[at[i]] * x[i] * items[at[i]].weight;
}

struct Item {
  double *p;
  int k;
};
PLAIN_KERNEL void constant_by_unknown_pointer(const double *x, const int *at, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double a = x[i], b = 2 * x[i];
  Item items[2] = {{&a, 3}, {&b, 4}};
  // refused: not known where this pointer leads
  *items[at[i]].p = 1.0;
  y[i] = a * 3 + b + items[at[i]].k;
}

PLAIN_KERNEL void output_by_unknown_pointer(const double *x, const int *at, double *y, double *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Item items[2] = {{&y[i], 3}, {&z[i], 4}};
  y[i] = z[i] = x[i] * x[i] * items[at[i]].k;
  // refused: not known where this pointer leads
  *items[at[i]].p = 1.0;
}

PLAIN_KERNEL void cleared_by_unknown_pointer(const double *x, const int *at, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double a[12], b[12];
  for (int j = 0; j < 12; ++j)
    a[j] = b[j] = x[i] * j;
  Item items[2] = {{a, 3}, {b, 4}};
  // refused: not known where this pointer leads
  memset(items[at[i]].p, 0, 8 * (at[i] + 5));
  double sum = 0;
  for (int j = 0; j < 12; ++j)
    sum += a[j] * 2 + b[j];
  y[i] = sum * items[at[i]].k;
}

PLAIN_KERNEL void aligned_by_integers(const double *x, const int *at, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double a[12];
  for (int j = 0; j < 12; ++j)
    a[j] = x[i];
  auto aligned = reinterpret_cast<double *>((reinterpret_cast<unsigned long>(&a[at[i]]) + 31) & ~31ul);
  // refused: not known where this pointer leads
  aligned[0] = 0;
  double sum = 0;
  for (int j = 0; j < 12; ++j)
    sum += a[j];
  y[i] = sum;
}
