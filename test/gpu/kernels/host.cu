// Host functions that launch kernels and call CUDA themselves.
#include <kernix/kernix.h>
#include <stdexcept>

static void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
}

static __global__ void add_kernel(const float *x, const float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = x[i] + y[i];
}

static __global__ void partial_sums(const float *x, float *sums, int n) {
  extern __shared__ float part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

/// On the caller's stream.
[[kernix::bind]]
void add(const kernix::TensorView<float> x, const kernix::TensorView<float> y,
         [[kernix::intent(out_return), kernix::shape("x")]] kernix::TensorView<float> z, cudaStream_t stream) {
  const int n = static_cast<int>(x.numel());
  add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x.data(), y.data(), z.data(), n);
}

/// Of at most 65536 elements. Allocates scratch memory, launches twice, copies the result back and returns it.
[[kernix::bind]] float sum(const kernix::TensorView<float> x, cudaStream_t stream) {
  const int n = static_cast<int>(x.numel()), blocks = (n + 255) / 256;
  float *scratch = nullptr, result = 0;
  check(cudaMalloc(&scratch, (static_cast<size_t>(blocks) + 1) * sizeof(float)));
  partial_sums<<<blocks, 256, 256 * sizeof(float), stream>>>(x.data(), scratch, n);
  partial_sums<<<1, 256, 256 * sizeof(float), stream>>>(scratch, scratch + blocks, blocks);
  check(cudaMemcpyAsync(&result, scratch + blocks, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(scratch));
  return result;
}

/// Any dtype: copies and clears memory as bytes.
[[kernix::bind]]
void shift(const kernix::Tensor x, [[kernix::intent(inout_ptr)]] kernix::Tensor y, int64_t stream) {
  const auto queue = reinterpret_cast<cudaStream_t>(stream);
  const size_t element = x.nbytes() / static_cast<size_t>(x.numel()), rest = x.nbytes() - element;
  char *target = static_cast<char *>(y.data_ptr());
  check(cudaMemsetAsync(target, 0, element, queue));
  check(cudaMemcpyAsync(target + element, x.data_ptr(), rest, cudaMemcpyDeviceToDevice, queue));
}

/// The device that is current while the function runs.
[[kernix::bind]] int current_device(const kernix::Tensor x) {
  int device = -1;
  check(cudaGetDevice(&device));
  return device;
}

/// Launches with a block that no device has and does not look at the error: the call reports it.
[[kernix::bind]] void bad_launch([[kernix::intent(inout_ptr)]] kernix::TensorView<float> x, cudaStream_t stream) {
  add_kernel<<<1, 4096, 0, stream>>>(x.data(), x.data(), x.data(), 0);
}
