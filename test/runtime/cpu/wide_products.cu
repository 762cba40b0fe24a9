// Products of 64-bit indices in vectors, on CPUs with AVX512-IFMA that prefer narrower vectors: clang 22 crashes.
// Compiled only, since this machine need not be one.
//
// RUN: %cpu-cc %t.icelake -O3 -march=icelake-server %s
// RUN: %cpu-cc %t.sapphire -O3 -march=sapphirerapids %s

__global__ void halves_of_indices(const float *x, float *y, int n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x, end = n; i < end; i += (long long)gridDim.x * blockDim.x) {
    unsigned short lower = (unsigned short)i;
    y[i] = x[lower] * x[i] + x[(unsigned)i];
  }
}

int main() {
  float x[2] = {}, y[2];
  halves_of_indices<<<1, 2>>>(x, y, 2);
  return cudaDeviceSynchronize() != cudaSuccess;
}
