// test/benchmark/compile/sources/unbound.cu - CUDA that knows nothing of kernix and takes two seconds or more.

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

__global__ void scale(float *x, float factor, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    x[i] *= factor;
}

float scale_and_sum(thrust::device_vector<float> &values, float factor) {
  const int n = static_cast<int>(values.size());
  scale<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(values.data()), factor, n);
  thrust::inclusive_scan(values.begin(), values.end(), values.begin());
  return thrust::reduce(values.begin(), values.end());
}
