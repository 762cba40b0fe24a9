// A host function with several outputs: its result, a scalar by reference, an array of fixed length and a tensor.

#include <kernix/kernix.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace {

constexpr int levels = 256;

void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("statistics: ") + cudaGetErrorString(status));
}

__global__ void count(const unsigned char *image, int64_t n, int *histogram) {
  __shared__ int block_histogram[levels];
  for (int level = threadIdx.x; level < levels; level += blockDim.x)
    block_histogram[level] = 0;
  __syncthreads();
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
    atomicAdd(&block_histogram[image[i]], 1);
  __syncthreads();
  for (int level = threadIdx.x; level < levels; level += blockDim.x)
    atomicAdd(&histogram[level], block_histogram[level]);
}

} // namespace

/// Mean of an image of 8-bit levels; its standard deviation, its quartiles and its histogram.
[[kernix::bind]]
double statistics(const kernix::Tensor image, [[kernix::intent(out_return)]] double &deviation,
                  [[kernix::intent(out_array_return, 3)]] int *quartiles,
                  [[kernix::intent(out_return), kernix::shape("256")]] kernix::TensorView<int> histogram,
                  kernix::Stream stream) {
  const int64_t n = image.numel();
  if (image.dtype() != kernix::DType::UInt8 || !image.is_contiguous() || n == 0)
    throw std::invalid_argument("statistics: expected a contiguous image of uint8 that is not empty");
  check(cudaMemsetAsync(histogram.data(), 0, levels * sizeof(int), stream));
  count<<<128, 256, 0, stream>>>(image.data_ptr<const unsigned char>(), n, histogram.data());
  check(cudaGetLastError());
  int counts[levels];
  check(cudaMemcpyAsync(counts, histogram.data(), sizeof counts, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));

  double sum = 0, squares = 0;
  int64_t below = 0;
  for (int level = 0, quarter = 0; level < levels; ++level) {
    sum += double(level) * counts[level];
    squares += double(level) * level * counts[level];
    below += counts[level];
    while (quarter < 3 && 4 * below >= (quarter + 1) * n)
      quartiles[quarter++] = level;
  }
  const double mean = sum / n;
  deviation = std::sqrt(squares / n - mean * mean);
  return mean;
}
