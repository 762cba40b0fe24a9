// What test_jax_streams.py calls.
#include <kernix/kernix.h>

__global__ void plus_one(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}

[[kernix::bind]] __global__ void add_one(const float *x, [[kernix::shape("x")]] float *y,
                                         [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}

static int number_of_calls = 0;

/// Adds one, and counts how often the host comes here.
[[kernix::bind]] void counted(kernix::TensorView<const float> x, [[kernix::shape("x")]] kernix::TensorView<float> y,
                              cudaStream_t stream) {
  ++number_of_calls;
  int n = static_cast<int>(x.numel());
  plus_one<<<(n + 255) / 256, 256, 0, stream>>>(x.data(), y.data(), n);
}

[[kernix::bind]] int calls() { return number_of_calls; }

/// Copies, after so many cycles of the clock.
[[kernix::bind]] __global__ void spin(const float *x, long long cycles, [[kernix::shape("x")]] float *y,
                                      [[kernix::value("x.numel()")]] int n) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
