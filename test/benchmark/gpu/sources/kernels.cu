// test/benchmark/gpu/sources/kernels.cu - kernels that kernel_time.py times, bound and by hand. Compiled with the
// plugin for the one and, with BY_HAND defined and without it, for the other, whose launches are written out below.

#ifdef BY_HAND
#define KERNIX_NO_PLUGIN
#pragma clang diagnostic ignored "-Wunknown-attributes"
#include <cstdint>
#endif
#include <kernix/kernix.h>

[[kernix::bind, kernix::block(256)]]
__global__ void blend(const float *__restrict__ x, const float *__restrict__ y, [[kernix::shape("x")]] float *z,
                      float a, [[kernix::value("x.numel()")]] int64_t n) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = a * x[i] + (1 - a) * y[i];
}

[[kernix::bind, kernix::grid("ceil_div(n, 32)", "ceil_div(m, 32)"), kernix::block(32, 32)]]
__global__ void matmul(const float *a, const float *b, [[kernix::shape("m", "n")]] float *c,
                       [[kernix::value("a.size(0)")]] int m, [[kernix::value("b.size(1)")]] int n,
                       [[kernix::value("a.size(1)")]] int k) {
  __shared__ float left[32][32], right[32][33];
  int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int base = 0; base < k; base += 32) {
    left[threadIdx.y][threadIdx.x] =
        row < m && base + static_cast<int>(threadIdx.x) < k ? a[row * k + base + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] =
        column < n && base + static_cast<int>(threadIdx.y) < k ? b[(base + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

#ifdef BY_HAND
extern "C" __attribute__((visibility("default"))) int blend_by_hand(const float *x, const float *y, float *z, float a,
                                                                    int64_t n, cudaStream_t stream) {
  blend<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, z, a, n);
  return cudaGetLastError();
}

extern "C" __attribute__((visibility("default"))) int matmul_by_hand(const float *a, const float *b, float *c, int m,
                                                                     int n, int k, cudaStream_t stream) {
  dim3 grid(static_cast<unsigned>((n + 31) / 32), static_cast<unsigned>((m + 31) / 32));
  matmul<<<grid, dim3(32, 32), 0, stream>>>(a, b, c, m, n, k);
  return cudaGetLastError();
}
#endif
