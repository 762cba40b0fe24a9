// RUN: %cuda-check
#include <cub/device/device_reduce.cuh>

// The device-wide algorithms choose their kernels on the host.
cudaError_t sum(void *scratch, size_t &bytes, const float *x, float *total, int n, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(scratch, bytes, x, total, n, stream);
}
