// Kernels in float16 and bfloat16 whose gradients are sums of many numbers.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define FOR_EACH(name)                                                                                                 \
  [[kernix::bind]] [[kernix::differentiable]] [[kernix::instantiate("float", "__half",                                 \
                                                                    "__nv_bfloat16")]] __global__ void name

/// One element for all threads.
template <class T>
FOR_EACH(shared_factor)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * x[i];
}

template <class T>
FOR_EACH(scalar_factor)([[kernix::diff]] T w, const T *x, [[kernix::shape("x")]] T *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w * x[i];
}

/// Elements that are read from memory.
template <class T>
FOR_EACH(gathered)(const T *w, const int *at, const T *x, [[kernix::shape("x")]] T *y,
                   [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[at[i]] * x[i];
}

/// A row of weights for all threads, each of which goes through it.
template <class T>
FOR_EACH(rows)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.size(0)")]] int n,
               [[kernix::value("x.size(1)")]] int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int c = 0; c < d; ++c)
    y[i * d + c] = w[c] * x[i * d + c];
}

/// Each thread comes to its own elements again and again.
template <class T>
FOR_EACH(again)(const T *w, [[kernix::shape("n")]] T *y, [[kernix::value("w.size(0)")]] int n,
                [[kernix::value("w.size(1)")]] int d, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < times; ++k)
    for (int c = 0; c < d; ++c)
      sum += static_cast<float>(w[i * d + c]);
  y[i] = static_cast<T>(sum * 0.001f);
}

/// A sum in a register of the kernel's own type.
template <class T>
FOR_EACH(in_register)(const T *w, const T *x, [[kernix::shape("w")]] T *y, [[kernix::value("w.numel()")]] int n,
                      [[kernix::value("x.numel()")]] int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T sum = static_cast<T>(0.f);
  for (int c = 0; c < m; ++c)
    sum += w[i] * x[c];
  y[i] = sum;
}

template <class T>
FOR_EACH(of_view)(kernix::TensorView<const T> w, const T *x, [[kernix::shape("x")]] T *y,
                  [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w(i % w.size(0), i % w.size(1)) * x[i];
}

/// Two tensors that may be one.
template <class T>
FOR_EACH(two)(const T *v, const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (v[0] + w[0]) * x[i];
}

/// One addition to each element.
template <class T> FOR_EACH(each)(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

/// Weights in shared memory, as the type itself.
template <class T>
FOR_EACH(in_shared)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  __shared__ T tile[8];
  if (threadIdx.x < 8)
    tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(tile[i % 8]));
}

/// In an array of the thread's own.
template <class T>
FOR_EACH(in_array)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T own[4];
  for (int k = 0; k < 4; ++k)
    own[k] = w[k] * x[i];
  y[i] = own[i % 4] + own[(i + 1) % 4];
}

template <class T>
FOR_EACH(layer_norm)(const T *x, const T *g, const T *b, [[kernix::shape("x")]] T *y,
                     [[kernix::value("x.size(0)")]] int n, [[kernix::value("x.size(1)")]] int d) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float mean = 0, variance = 0;
  for (int c = 0; c < d; ++c)
    mean += static_cast<float>(x[r * d + c]) / d;
  for (int c = 0; c < d; ++c) {
    float e = static_cast<float>(x[r * d + c]) - mean;
    variance += e * e / d;
  }
  float scale = rsqrtf(variance + 1e-5f);
  for (int c = 0; c < d; ++c)
    y[r * d + c] = static_cast<T>((static_cast<float>(x[r * d + c]) - mean) * scale * static_cast<float>(g[c]) +
                                  static_cast<float>(b[c]));
}

/// Additions by the kernel itself.
template <class T>
FOR_EACH(scattered)(const T *w, const int *at, const T *x, [[kernix::shape("w")]] T *y,
                    [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&y[at[i]], x[i] * w[at[i]]);
}

/// In-out.
template <class T>
FOR_EACH(scaled)([[kernix::intent(inout_ptr)]] T *y, const T *w, [[kernix::value("y.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = y[i] * w[0];
}

/// Each thread takes the weights that the block has staged again and again.
template <class T>
FOR_EACH(staged)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n, int times) {
  __shared__ T tile[8];
  if (threadIdx.x < 8)
    tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < times; ++k)
    sum += static_cast<float>(x[i]) * static_cast<float>(tile[(i + k) % 8]);
  y[i] = static_cast<T>(sum / 64);
}

/// The same in dynamic shared memory, behind other elements of it.
#define STAGED_DYNAMICALLY(T)                                                                                          \
  extern __shared__ T pool_of_##T[];                                                                                   \
  [[kernix::bind("staged_dynamically"), kernix::differentiable]] __global__ void staged_##T(                           \
      const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n, int times) {          \
    T *tile = pool_of_##T + 3;                                                                                         \
    if (threadIdx.x < 8)                                                                                               \
      tile[threadIdx.x] = w[threadIdx.x];                                                                              \
    __syncthreads();                                                                                                   \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                        \
      return;                                                                                                          \
    float sum = 0;                                                                                                     \
    for (int k = 0; k < times; ++k)                                                                                    \
      sum += static_cast<float>(x[i]) * static_cast<float>(tile[(i + k) % 8]);                                         \
    y[i] = static_cast<T>(sum / 64);                                                                                   \
  }
STAGED_DYNAMICALLY(float)
STAGED_DYNAMICALLY(__half)
STAGED_DYNAMICALLY(__nv_bfloat16)

/// An array of the thread's own, whose elements are read many times.
template <class T>
FOR_EACH(own_array)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n,
                    int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T own[4];
  for (int k = 0; k < 4; ++k)
    own[k] = w[k];
  float sum = 0;
  for (int k = 0; k < times; ++k)
    sum += static_cast<float>(x[i]) * static_cast<float>(own[(i + k) % 4]);
  y[i] = static_cast<T>(sum / 64);
}

template <class T> struct Cell {
  T value[3];
  int count;
  float scale;
};

/// A struct of numbers of two types and an integer.
template <class T>
FOR_EACH(own_struct)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n,
                     int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Cell<T> own[2];
  for (int k = 0; k < 2; ++k) {
    for (int c = 0; c < 3; ++c)
      own[k].value[c] = w[3 * k + c];
    own[k].count = times + k;
    own[k].scale = static_cast<float>(w[k]) * 0.5f;
  }
  float sum = 0;
  for (int k = 0; k < own[i % 2].count; ++k)
    sum += static_cast<float>(x[i]) * static_cast<float>(own[k % 2].value[(i + k) % 3]) * own[(k + i) % 2].scale;
  y[i] = static_cast<T>(sum / 64);
}

/// Additions by the kernel itself in shared memory, and a sum of the whole block that all threads read.
template <class T>
FOR_EACH(block_sum)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  __shared__ T sums[2];
  if (threadIdx.x < 2)
    sums[threadIdx.x] = static_cast<T>(0.f);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 8)
    atomicAdd(&sums[threadIdx.x % 2], w[threadIdx.x]);
  __syncthreads();
  if (i < n)
    y[i] = x[i] * sums[i % 2];
}

/// Two numbers of a word that is read and stored at once.
template <class T>
FOR_EACH(products_of_pairs)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n,
                            int times) {
  struct alignas(2 * sizeof(T)) Pair {
    T first, second;
  };
  __shared__ Pair pairs[4];
  if (threadIdx.x < 4)
    pairs[threadIdx.x] = reinterpret_cast<const Pair *>(w)[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < times; ++k) {
    Pair p = pairs[(i + k) % 4];
    sum += static_cast<float>(x[i]) * static_cast<float>(p.first) * static_cast<float>(p.second);
  }
  y[i] = static_cast<T>(sum / 64);
}

/// Tiles of a matrix product, whose elements many threads read.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::block(16, 16), kernix::grid("n / 16", "n / 16"),
  kernix::instantiate("float", "__half", "__nv_bfloat16")]] __global__ void
tiled(const T *a, const T *b, [[kernix::shape("n", "n")]] T *c, [[kernix::value("a.size(0)")]] int n,
      [[kernix::value("a.size(1)")]] int m) {
  __shared__ T left[16][16], right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * m + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int t = 0; t < 16; ++t)
      sum += static_cast<float>(left[threadIdx.y][t]) * static_cast<float>(right[t][threadIdx.x]);
    __syncthreads();
  }
  c[row * n + column] = static_cast<T>(sum);
}

/// Passed by value, and read as bits in each branch.
template <class T>
FOR_EACH(in_branches)(const T *x, [[kernix::diff]] T w, [[kernix::shape("x")]] T *y,
                      [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (static_cast<float>(x[i]) > 1)
    y[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(w));
  else
    y[i] = static_cast<T>(static_cast<float>(w) * static_cast<float>(w));
}

/// Structs that callers pass in one register.
template <class T> struct Mixed {
  T a;
  short count;
  T b;
};
template <class T>
FOR_EACH(mixed)(const T *x, [[kernix::diff]] Mixed<T> w, [[kernix::shape("x")]] T *y,
                [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(w.a) * w.count + static_cast<float>(w.b));
}
template <class T> struct Beside {
  T a;
  float b;
};
template <class T>
FOR_EACH(beside)(const T *x, [[kernix::diff]] Beside<T> w, [[kernix::shape("x")]] T *y,
                 [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(w.a) + w.b);
}
