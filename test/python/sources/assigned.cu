// Gradients that are assigned: each element that a thread reads has one, whatever comes of the number. In all of these
// a thread reads its elements where it starts, and asks c what to do with them.
#include <cuda_fp16.h>
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;

#define INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

/// A kernel of x, c and y whose threads below n = c.numel() do what follows with i.
#define KERNEL(name, X)                                                                                                \
  [[kernix::bind, kernix::differentiable]]                                                                             \
  __global__ void name([[kernix::diff(once)]] X x, const float *c, [[kernix::shape("c")]] float *y,                    \
                       [[kernix::value("c.numel()")]] int n)

KERNEL(used_in_branch, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = x[i], r = 0;
  if (c[i] > 0)
    r = v * v;
  y[i] = r;
}

KERNEL(used_behind_return, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = x[i];
  y[i] = 0;
  if (c[i] <= 0)
    return;
  y[i] = v * v;
}

KERNEL(compared, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = x[i];
  y[i] = v > 100 ? 1.0f : c[i];
}

KERNEL(unused, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  [[maybe_unused]] float v = x[i];
  y[i] = c[i];
}

KERNEL(constant, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  [[kernix::no_diff]] float v = x[i];
  y[i] = v * c[i];
}

/// Of four numbers one is used, and one behind a branch.
KERNEL(parts_of_vectors, const float4 *) {
  int i = INDEX;
  if (i >= n)
    return;
  float4 v = x[i];
  y[i] = v.y;
  if (c[i] > 0)
    y[i] = v.x * v.y;
}

struct Row {
  float a[3];
  float last;
  __device__ Row doubled() const { return {{2 * a[0], 2 * a[1], 2 * a[2]}, 2 * last}; }
};

__device__ Row rowAt(const Row *x, int i) { return x[i]; }

/// The same by way of functions.
KERNEL(parts_of_structs, const Row *) {
  int i = INDEX;
  if (i >= n)
    return;
  Row row = rowAt(x, i).doubled();
  y[i] = 0;
  if (c[i] > 0)
    y[i] = row.a[1] * row.last;
}

struct LongRow {
  float a[200];
};

/// A copy that stays in memory, of which one element is chosen.
KERNEL(chosen_of_copy, const LongRow *) {
  int i = INDEX;
  if (i >= n)
    return;
  LongRow row = x[i];
  int k = static_cast<int>(c[i]);
  y[i] = 0;
  if (k >= 0)
    y[i] = row.a[k] * row.a[k + 1];
}

KERNEL(chosen_of_short_copy, const float4 *) {
  int i = INDEX;
  if (i >= n)
    return;
  float row[4];
  memcpy(row, &x[i], sizeof row);
  int k = static_cast<int>(c[i]);
  y[i] = 0;
  if (k >= 0)
    y[i] = row[k] * row[k + 1];
}

KERNEL(halves, const __half *) {
  int i = INDEX;
  if (i >= n)
    return;
  __half v = x[i];
  y[i] = 0;
  if (c[i] > 0)
    y[i] = __half2float(v) * 3;
}

KERNEL(elements_of_a_view, kernix::TensorView<const float>) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = x(i), r = 0;
  if (c[i] > 0)
    r = v * v;
  y[i] = r;
}

/// Rows of four elements, all of which are read, and the last one counts.
KERNEL(rows, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = 0;
  for (int k = 0; k < 4; ++k)
    v = x[4 * i + k];
  y[i] = c[i] > 0 ? v * v : 0;
}

KERNEL(long_rows, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = 0;
  for (int k = 0; k < 40; ++k) {
    float w = x[40 * i + k];
    if (k >= c[i])
      v = v + w * w;
  }
  y[i] = v;
}

/// What is not read keeps what its gradient held.
KERNEL(read_in_branch, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float r = 0;
  if (c[i] > 0)
    r = x[i] * x[i];
  y[i] = r;
}

[[kernix::bind, kernix::differentiable]]
__global__ void load_once(const View x, const float *c, [[kernix::shape("c")]] View y) {
  int i = INDEX;
  if (i >= y.size(0))
    return;
  float v = x.loadUniformOnce(i), r = 0;
  if (c[i] > 0)
    r = v * v;
  y[i] = r;
}

[[kernix::bind, kernix::differentiable]]
__global__ void load_once_unused(const View x, const float *c, [[kernix::shape("c")]] View y) {
  int i = INDEX;
  if (i >= y.size(0))
    return;
  x.loadUniformOnce(i);
  y[i] = c[i];
}
