// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// A grid-stride loop, and a grid much larger than the number of host threads.
__global__ void scale(double *x, long n, double by) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    x[i] *= by;
}

int main() {
  for (int n : {1, 31, 128, 1000, 100003}) {
    std::vector<float> a(n), b(n), c(n + 1, -1);
    for (int i = 0; i < n; ++i)
      a[i] = i, b[i] = 2 * i + 1;
    add<<<(n + 127) / 128, 128>>>(a.data(), b.data(), c.data(), n);
    CHECK_CUDA(cudaGetLastError());
    for (int i = 0; i < n; ++i)
      CHECK(c[i] == 3.0f * i + 1);
    CHECK(c[n] == -1);
  }
  std::vector<double> x(5000);
  for (int i = 0; i < 5000; ++i)
    x[i] = i;
  scale<<<7, 96>>>(x.data(), 4999, 3);
  scale<<<300000, 32>>>(x.data(), 4999, 2);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 4999; ++i)
    CHECK(x[i] == 6.0 * i);
  CHECK(x[4999] == 4999);
}
