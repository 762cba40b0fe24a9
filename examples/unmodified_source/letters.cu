// letters.cu - letter statistics of ASCII text on the GPU.

#include <cuda_runtime.h>

#include <cstring>

#define LETTERS 26

__global__ void count_letters(const char *text, size_t length, unsigned int *counts) {
  __shared__ unsigned int block_counts[LETTERS];
  if (threadIdx.x < LETTERS)
    block_counts[threadIdx.x] = 0;
  __syncthreads();
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < length; i += stride) {
    int letter = (text[i] | 0x20) - 'a';
    if (letter >= 0 && letter < LETTERS)
      atomicAdd(&block_counts[letter], 1u);
  }
  __syncthreads();
  if (threadIdx.x < LETTERS)
    atomicAdd(&counts[threadIdx.x], block_counts[threadIdx.x]);
}

__global__ void upper_case(const char *text, char *upper, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length)
    upper[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
}

// Counts the letters of a text, upper and lower case together. Returns 0, or a CUDA error code.
int letter_frequency(const char *text, unsigned int *counts) {
  size_t length = strlen(text);
  char *device_text = NULL;
  unsigned int *device_counts = NULL;
  cudaError_t status = cudaMalloc((void **)&device_text, length + 1);
  if (status == cudaSuccess)
    status = cudaMalloc((void **)&device_counts, LETTERS * sizeof(unsigned int));
  if (status == cudaSuccess)
    status = cudaMemcpy(device_text, text, length, cudaMemcpyHostToDevice);
  if (status == cudaSuccess)
    status = cudaMemset(device_counts, 0, LETTERS * sizeof(unsigned int));
  if (status == cudaSuccess) {
    count_letters<<<64, 128>>>(device_text, length, device_counts);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess)
    status = cudaMemcpy(counts, device_counts, LETTERS * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  cudaFree(device_counts);
  cudaFree(device_text);
  return status;
}
