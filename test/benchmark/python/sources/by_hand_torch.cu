// Kernels of the operator by hand, by_hand_torch.cpp, compiled apart from torch's headers.

__global__ void scaled_sine(const float *x, float *y, float a, float b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * sinf(x[i]) + b;
}

__global__ void scaled_sine_backward(const float *x, const float *gy, float *gx, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    gx[i] = a * cosf(x[i]) * gy[i];
}

extern "C" void by_hand_scaled_sine(const float *x, float *y, float a, float b, int n, cudaStream_t stream) {
  scaled_sine<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, b, n);
}

extern "C" void by_hand_scaled_sine_backward(const float *x, const float *gy, float *gx, float a, int n,
                                             cudaStream_t stream) {
  scaled_sine_backward<<<(n + 255) / 256, 256, 0, stream>>>(x, gy, gx, a, n);
}
