// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

constexpr int tile = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    as[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0;
    kernix_cpu_barrier();
    for (int i = 0; i < tile; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    kernix_cpu_barrier();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

template <class T> __global__ void tree_sum(const T *in, T *out, int n) {
  extern __shared__ unsigned char bytes[];
  T *data = reinterpret_cast<T *>(bytes);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[threadIdx.x] = i < n ? in[i] : T(0);
  kernix_cpu_barrier();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      data[threadIdx.x] += data[threadIdx.x + s];
    kernix_cpu_barrier();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = data[0];
}

// One variable, several kernels, through device functions.
__shared__ int common[64];
__shared__ struct Pair {
  int a;
  double b[3];
} pair;
__device__ __attribute__((noinline)) void put(int value) { common[threadIdx.x] = value; }
__device__ int *slot(int i) { return &common[i]; }
__global__ void reverse(int *x) {
  put(x[threadIdx.x]);
  kernix_cpu_barrier();
  x[threadIdx.x] = *slot(blockDim.x - 1 - threadIdx.x);
}
__global__ void rotate(int *x) {
  __shared__ int first;
  put(x[threadIdx.x]);
  if (threadIdx.x == 0)
    first = x[0], pair.b[2] = 7, pair.a = 5;
  kernix_cpu_barrier();
  x[threadIdx.x] = threadIdx.x + 1 < blockDim.x ? common[threadIdx.x + 1] : first * 100 + pair.a * 10 + int(pair.b[2]);
}
// Without a barrier a block's shared memory is still its own.
__global__ void no_barrier(int *x) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = blockIdx.x;
  if (threadIdx.x == blockDim.x - 1)
    x[blockIdx.x] = sum;
}
// The address is taken, and dynamic memory comes behind the static one.
__global__ void addresses(unsigned long *out) {
  extern __shared__ double dynamic[];
  __shared__ double fixed[10];
  double *choice = threadIdx.x % 2 ? dynamic : fixed;
  choice[threadIdx.x / 2] = threadIdx.x;
  kernix_cpu_barrier();
  if (threadIdx.x == 0) {
    out[0] = reinterpret_cast<unsigned long>(dynamic) % 16;
    out[1] = dynamic >= fixed + 10 || dynamic + 10 <= fixed;
    out[2] = 0;
    for (int i = 0; i < 10; ++i)
      out[2] += fixed[i] == 2 * i && dynamic[i] == 2 * i + 1;
  }
}

int main() {
  for (int n : {16, 50}) {
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i)
      a[i] = i % 7, b[i] = i % 5;
    dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile);
    matmul<<<grid, dim3(tile, tile)>>>(a.data(), b.data(), c.data(), n);
    CHECK_CUDA(cudaGetLastError());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += a[i * n + k] * b[k * n + j];
        CHECK(c[i * n + j] == sum);
      }
  }
  int n = 10000, blocks = (n + 255) / 256;
  std::vector<int> in(n), out(blocks);
  std::vector<double> in_double(n), out_double(blocks);
  for (int i = 0; i < n; ++i)
    in[i] = i, in_double[i] = i;
  tree_sum<<<blocks, 256, 256 * sizeof(int)>>>(in.data(), out.data(), n);
  tree_sum<<<blocks, 256, 256 * sizeof(double)>>>(in_double.data(), out_double.data(), n);
  long sum = 0;
  for (int b = 0; b < blocks; ++b)
    sum += out[b] == out_double[b] ? out[b] : 0;
  CHECK(sum == long(n) * (n - 1) / 2);

  std::vector<int> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = i + 1;
  reverse<<<1, 64>>>(x.data());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == 64 - i);
  rotate<<<1, 64>>>(x.data());
  for (int i = 0; i < 63; ++i)
    CHECK(x[i] == 63 - i);
  CHECK(x[63] == 6457);
  std::vector<int> y(1000);
  no_barrier<<<1000, 64>>>(y.data());
  for (int i = 0; i < 1000; ++i)
    CHECK(y[i] == i);
  unsigned long result[3];
  addresses<<<1, 20, 80>>>(result);
  CHECK(result[0] == 0 && result[1] == 1 && result[2] == 10);

  cudaFuncAttributes attributes;
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, matmul));
  CHECK(attributes.sharedSizeBytes == 2 * tile * tile * sizeof(float));
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, reverse));
  CHECK(attributes.sharedSizeBytes == sizeof common);
}
