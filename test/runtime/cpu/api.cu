// Streams, events, copies, device queries.
// RUN: %cpu-cc %t -O1 -I%inputs %s
// RUN: timeout 100 %t
#include "check.h"
#include <cstring>

__global__ void fill(int *x, int value) { x[threadIdx.x] = value; }
static void count(void *counter) { ++*static_cast<int *>(counter); }

int main() {
  int n = -1, device = -1, value = 0;
  CHECK_CUDA(cudaGetDeviceCount(&n));
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK(n == 1 && device == 0 && cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK_CUDA(cudaSetDevice(0));
  cudaGetLastError();
  cudaDeviceProp p;
  CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
  CHECK(p.warpSize == 32 && p.multiProcessorCount == 4 && p.maxThreadsPerBlock == 1024 && p.totalGlobalMem > 0);
  CHECK_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == 4);
  CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);

  cudaStream_t stream;
  cudaEvent_t start, end, untimed;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&end));
  CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  int *x, *pinned;
  CHECK_CUDA(cudaMalloc(&x, 64 * sizeof(int)));
  CHECK_CUDA(cudaMallocHost(&pinned, 64 * sizeof(int)));
  CHECK(reinterpret_cast<unsigned long>(x) % 256 == 0);
  CHECK_CUDA(cudaEventRecord(start, stream));
  fill<<<1, 64, 0, stream>>>(x, 5);
  CHECK_CUDA(cudaMemcpyAsync(pinned, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  int calls = 0;
  CHECK_CUDA(cudaLaunchHostFunc(stream, count, &calls));
  CHECK_CUDA(cudaEventRecord(end, stream));
  CHECK_CUDA(cudaEventRecord(untimed, stream));
  CHECK_CUDA(cudaStreamWaitEvent(stream, end));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaStreamQuery(stream));
  CHECK(pinned[0] == 5 && pinned[63] == 5 && calls == 1);
  float ms = -1;
  CHECK_CUDA(cudaEventElapsedTime(&ms, start, end));
  CHECK(ms > 0 && ms < 10000);
  CHECK_CUDA(cudaEventRecordWithFlags(start, stream, 0));
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
  CHECK_CUDA(cudaStreamIsCapturing(stream, &capture));
  CHECK(capture == cudaStreamCaptureStatusNone);
  CHECK(cudaEventElapsedTime(&ms, start, untimed) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();

  CHECK_CUDA(cudaMemset(x, 0xff, 8));
  CHECK_CUDA(cudaMemcpy(pinned, x, 16, cudaMemcpyDefault));
  CHECK(pinned[0] == -1 && pinned[1] == -1 && pinned[2] == 5);
  CHECK(cudaMemcpy(pinned, x, 16, static_cast<cudaMemcpyKind>(9)) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(nullptr, x, 16, cudaMemcpyDefault) == cudaErrorInvalidValue);
  cudaGetLastError();
  char from[3][10], to[3][20];
  for (int i = 0; i < 3; ++i)
    std::memset(from[i], 'a' + i, 10), std::memset(to[i], '.', 20);
  CHECK_CUDA(cudaMemcpy2D(to, 20, from, 10, 4, 3, cudaMemcpyHostToHost));
  CHECK(to[2][3] == 'c' && to[2][4] == '.' && to[0][0] == 'a');
  CHECK(cudaMemcpy2D(to, 3, from, 10, 4, 3, cudaMemcpyHostToHost) == cudaErrorInvalidPitchValue);
  cudaGetLastError();
  char *rows;
  size_t pitch = 0;
  CHECK_CUDA(cudaMallocPitch(&rows, &pitch, 100, 7));
  CHECK(pitch == 512);
  CHECK_CUDA(cudaMemset2D(rows, pitch, 1, 100, 7));
  CHECK(rows[6 * pitch + 99] == 1);
  CHECK(cudaMalloc(&rows, static_cast<size_t>(-1)) == cudaErrorMemoryAllocation);
  CHECK(rows == nullptr && cudaGetLastError() == cudaErrorMemoryAllocation);

  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaFree(nullptr));
  CHECK_CUDA(cudaFreeHost(pinned));
  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaGetLastError());
}
