// test/benchmark/compile/sources/host_functions.cu - host functions that launch kernels; only they are bound.

#include <kernix/kernix.h>

namespace {

__global__ void step(const float *in, float *out, int rows, int columns, float rate) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row <= 0 || column <= 0 || row >= rows - 1 || column >= columns - 1)
    return;
  const int i = row * columns + column;
  out[i] = in[i] + rate * (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns] - 4 * in[i]);
}

__global__ void histogram(const float *values, int *counts, long n, float low, float width, int bins) {
  extern __shared__ int local[];
  for (int i = static_cast<int>(threadIdx.x); i < bins; i += static_cast<int>(blockDim.x))
    local[i] = 0;
  __syncthreads();
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += gridDim.x * static_cast<long>(blockDim.x)) {
    const int bin = static_cast<int>((values[i] - low) / width);
    if (bin >= 0 && bin < bins)
      atomicAdd(&local[bin], 1);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < bins; i += static_cast<int>(blockDim.x))
    atomicAdd(&counts[i], local[i]);
}

} // namespace

/// One explicit step of the heat equation.
[[kernix::bind]] void heat(const kernix::TensorView<float> in, kernix::TensorView<float> out, float rate,
                           cudaStream_t stream) {
  const int rows = static_cast<int>(in.size(0)), columns = static_cast<int>(in.size(1));
  const dim3 block(32, 8);
  const dim3 grid(static_cast<unsigned>((columns + 31) / 32), static_cast<unsigned>((rows + 7) / 8));
  step<<<grid, block, 0, stream>>>(in.data(), out.data(), rows, columns, rate);
}

/// Counts values per bin.
[[kernix::bind]] void count(const kernix::TensorView<float> values, kernix::TensorView<int> counts, float low,
                            float high, cudaStream_t stream) {
  const int bins = static_cast<int>(counts.numel());
  histogram<<<64, 256, static_cast<size_t>(bins) * sizeof(int), stream>>>(
      values.data(), counts.data(), values.numel(), low, (high - low) / static_cast<float>(bins), bins);
}
