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

/// Two halves that a function takes apart.
KERNEL(pairs_of_halves, const __half2 *) {
  int i = INDEX;
  if (i >= n)
    return;
  float2 v = __half22float2(x[i]);
  y[i] = v.x * v.y;
}

KERNEL(low_halves, const __half2 *) {
  int i = INDEX;
  if (i >= n)
    return;
  __half2 v = x[i];
  y[i] = c[i] > 0 ? __low2float(v) : 0;
}

/// A vector or zeros. Of each the first two numbers are used.
#define CHOSEN_KERNEL(name, T, ...)                                                                                    \
  KERNEL(name, const T *) {                                                                                            \
    int i = INDEX;                                                                                                     \
    T v = i < n ? x[i] : __VA_ARGS__;                                                                                  \
    if (i < n)                                                                                                         \
      y[i] = v.x * v.y;                                                                                                \
  }
CHOSEN_KERNEL(chosen_float2, float2, make_float2(0, 0))
CHOSEN_KERNEL(chosen_float4, float4, make_float4(0, 0, 0, 0))

__device__ float product(float4 v) { return v.x * v.y; }

KERNEL(vectors_by_value, const float4 *) {
  int i = INDEX;
  if (i < n)
    y[i] = product(x[i]);
}

__device__ float4 vectorAt(const float4 *x, int i) { return x[i]; }

KERNEL(returned_vectors, const float4 *) {
  int i = INDEX;
  if (i >= n)
    return;
  float4 v = vectorAt(x, i);
  y[i] = v.x * v.y;
}

struct Pair {
  float a, b;
};

__device__ float product(Pair p) { return p.a * p.b; }

KERNEL(structs_by_value, const Pair *) {
  int i = INDEX;
  if (i < n)
    y[i] = product(x[i]);
}

__device__ Pair pairAt(const Pair *x, int i) { return x[i]; }

KERNEL(returned_structs, const Pair *) {
  int i = INDEX;
  if (i >= n)
    return;
  Pair p = pairAt(x, i);
  y[i] = p.a * p.b;
}

__device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }

KERNEL(multiplied_vectors, const float4 *) {
  int i = INDEX;
  if (i >= n)
    return;
  float4 v = x[i] * 2.0f;
  y[i] = v.x * v.y / 4;
}

template <int N> struct Numbers {
  float a[N];
};

/// Of many numbers that are copied two are used: those of a few are marked one by one, longer copies stay copies.
#define LONG_KERNEL(name, N, condition)                                                                                \
  KERNEL(name, const Numbers<N> *) {                                                                                   \
    int i = INDEX;                                                                                                     \
    if (i >= n)                                                                                                        \
      return;                                                                                                          \
    Numbers<N> row = x[i];                                                                                             \
    y[i] = 0;                                                                                                          \
    if (condition)                                                                                                     \
      y[i] = row.a[0] * row.a[1];                                                                                      \
  }
LONG_KERNEL(parts_of_300, 300, true)
LONG_KERNEL(parts_of_1100, 1100, true)
LONG_KERNEL(parts_of_300_in_branch, 300, c[i] > 0)
LONG_KERNEL(parts_of_1100_in_branch, 1100, c[i] > 0)

/// A variable of a loop, most of whose iterations have none.
KERNEL(copies_in_loop, const Numbers<300> *) {
  int i = INDEX;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k <= i; ++k) {
    if (k < i)
      continue;
    Numbers<300> row = x[k];
    sum += row.a[0] * row.a[1];
  }
  y[i] = sum;
}

/// As many elements of a row of eight as c says.
KERNEL(computed_lengths, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float row[8];
  unsigned length = static_cast<unsigned>(c[i]);
  memcpy(row, x + 8 * i, length * sizeof(float));
  y[i] = c[i];
}

KERNEL(used_computed_lengths, const float *) {
  int i = INDEX;
  if (i >= n)
    return;
  float row[8];
  unsigned length = static_cast<unsigned>(c[i]);
  memcpy(row, x + 8 * i, length * sizeof(float));
  y[i] = length > 1 ? row[0] * row[1] : 0;
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
