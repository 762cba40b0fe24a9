// How gradients are added to: what is proven for one shape of launch has to fall back to atomics in another.
#include <kernix/kernix.h>

/// x is told apart by the ids in x alone, and may be launched with others.
[[kernix::bind, kernix::differentiable]]
__global__ void squares(const float *x, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

/// Proven for blocks of at most 64 threads.
[[kernix::bind, kernix::differentiable]]
__global__ void by_64(const float *x, float *sum, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

/// Proven if rows are as long as the grid is wide.
[[kernix::bind, kernix::differentiable]]
__global__ void unguarded(const float *x, float *sum, int width, int n) {
  int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

[[kernix::bind, kernix::differentiable]]
__global__ void product(const float *a, const float *b, [[kernix::shape("a")]] float *y,
                        [[kernix::value("a.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a[i] * b[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void assigned_product([[kernix::diff(once)]] const float *a, const float *b, [[kernix::shape("a")]] float *y,
                                 [[kernix::value("a.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a[i] * b[i];
}

/// All threads read one element of w in each round, and one scalar.
[[kernix::bind, kernix::differentiable]]
__global__ void weights(const float *x, const float *w, [[kernix::diff]] float scale,
                        [[kernix::shape("x.size(0)")]] float *y, [[kernix::value("x.size(0)")]] int n,
                        [[kernix::value("w.size(0)")]] int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += w[k] * x[i * m + k];
  y[i] = scale * sum + w[0];
}

/// Rows of four floats, each read by many threads.
[[kernix::bind, kernix::differentiable]]
__global__ void gathered_vectors(const float4 *x, const int *at, [[kernix::shape("at")]] float *y,
                                 [[kernix::value("at.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[at[i]];
  y[i] = v.x + 2 * v.y + 3 * v.z + 4 * v.w;
}

/// Read on two ways, of which a thread may take neither.
[[kernix::bind, kernix::differentiable]]
__global__ void assigned_on_two_ways([[kernix::diff(once)]] const float *x, const float *w,
                                     [[kernix::shape("x")]] float *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float &xi = x[i];
  float s = 1;
  if (w[i] > 0)
    s = 2 * xi;
  s = s * w[i] + 1;
  if (w[i] < 0)
    s += xi * s;
  y[i] = s;
}

/// 64 threads, a * b elements apart: as far as that is known.
[[kernix::bind, kernix::differentiable]]
__global__ void far_apart(const float *x, float *sum, int a, int b) {
  const unsigned k = threadIdx.x * static_cast<unsigned>(a) * b;
  atomicAdd(sum, x[k] * x[k]);
}

/// Rows that end at the first negative number, or behind `length` numbers unless that is 0.
[[kernix::bind, kernix::differentiable]]
__global__ void windows(const float *x, float *sum, int hop, int length) {
  const float *row = x + static_cast<long>(blockIdx.x * blockDim.x + threadIdx.x) * hop;
  int k = 0;
  do {
    if (row[k] < 0)
      break;
    atomicAdd(sum, row[k] * row[k]);
  } while (++k != length);
}

[[kernix::bind, kernix::differentiable]]
__global__ void countdown(const float *x, float *sum, int hop, unsigned length) {
  const float *p = x + static_cast<long>(blockIdx.x * blockDim.x + threadIdx.x) * hop;
  do {
    const float v = *p++;
    if (v < 0)
      break;
    atomicAdd(sum, v * v);
  } while (--length);
}

/// Rows for each block, whose step may be more than 32 bits hold.
[[kernix::bind, kernix::differentiable]]
__global__ void strided_rows(const float *x, float *sum, int n, unsigned a, unsigned b) {
  const int step = static_cast<int>(a * b);
  for (int r = blockIdx.x; r < n; r += step) {
    const unsigned i = r * blockDim.x + threadIdx.x;
    atomicAdd(sum, x[i] * x[i]);
  }
}

/// Rows of `width` elements, of which round i takes i + 1 at least; without `rounds`, until the sum is large.
[[kernix::bind, kernix::differentiable]]
__global__ void growing_rows(const float *x, float *sum, int rounds, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float own = 0;
  int i = 0;
  do {
    const int count = max(i + 1, width);
    for (int k = 0; k < count; ++k) {
      const float v = x[row * width + k];
      own += v;
      atomicAdd(sum, v * v);
    }
    if (own > 9)
      break;
  } while (++i != rounds);
}

/// Two reads of each thread, of one element where p + q has more than 16 bits.
[[kernix::bind, kernix::differentiable]]
__global__ void wrapped_pairs(const float *x, float *sum, unsigned short p, unsigned short q, int n) {
  const int i = 4 * threadIdx.x;
  const float a = x[i + (unsigned short)(p + q)], b = x[i + p + q - 65536];
  atomicAdd(sum, a * a + 3 * b * b);
}

[[kernix::bind, kernix::differentiable]]
__global__ void unique_wrapped_pairs([[kernix::diff(unique)]] const float *x, float *sum, unsigned short p,
                                     unsigned short q, int n) {
  const int i = 4 * threadIdx.x;
  const float a = x[i + (unsigned short)(p + q)], b = x[i + p + q - 65536];
  atomicAdd(sum, a * a + 3 * b * b);
}

/// Beside each other in a vector, unless p + q has more than 16 bits.
[[kernix::bind, kernix::differentiable]]
__global__ void wrapped_vectors(const float *x, float *sum, unsigned short p, unsigned short q, int n) {
  const int i = threadIdx.x;
  const float2 a = reinterpret_cast<const float2 *>(x)[i + (unsigned short)(p + q)];
  atomicAdd(sum, a.x * x[2 * (i + p + q) + 1]);
}

/// Rows of as many elements as a number that may wrap around says.
[[kernix::bind, kernix::differentiable]]
__global__ void wrapped_rows(const float *x, float *sum, unsigned a, unsigned b, unsigned c, unsigned d, int width) {
  const int m = static_cast<int>(a * b - c * d);
  const float *p = x + (blockIdx.x * blockDim.x + threadIdx.x) * width;
  for (int k = 0; k < m; ++k) {
    const float v = *p++;
    atomicAdd(sum, v * v);
  }
}

[[kernix::bind, kernix::differentiable]]
__global__ void shorter_wrapped_rows(const float *x, float *sum, unsigned a, unsigned b, unsigned c, unsigned d,
                                     int most, int width) {
  const int m = min(static_cast<int>(a * b - c * d), most);
  const float *p = x + (blockIdx.x * blockDim.x + threadIdx.x) * width;
  for (int k = 0; k < m; ++k) {
    const float v = *p++;
    atomicAdd(sum, v * v);
  }
}

/// Elements as far apart as `like` is long along an axis; below zero, there is none.
[[kernix::bind, kernix::differentiable]]
__global__ void along_axis(const float *x, [[kernix::shape("n")]] float *y, kernix::TensorView<const float> like,
                           int axis, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = 0;
  if (axis >= 0 && axis < like.rank())
    v = x[i * like.size(axis)];
  y[i] = v * v;
}
