// A kernel, and a host function that launches one, of a project that uses kernix.
#include <kernix/kernix.h>

[[kernix::bind]]
__global__ void saxpy(float a, const float *x, const float *y,
                      [[kernix::intent(out_return), kernix::shape("x")]] float *z,
                      [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = a * x[i] + y[i];
}

static __global__ void fill(float *x, float value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}

[[kernix::bind]]
void fill_with(kernix::TensorView<float> x, float value) {
  const int n = static_cast<int>(x.numel());
  fill<<<(n + 127) / 128, 128>>>(x.data(), value, n);
}
