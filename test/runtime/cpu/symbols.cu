// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter;
static __device__ double local = 2.5;
template <class T> __constant__ T of_type = 3;
struct Holder {
  static __constant__ int member;
};
__constant__ int Holder::member = 6;
__device__ const int primes[3] = {2, 3, 5};
int ordinary = 0;

__global__ void read(float *out, int i) {
  out[0] = weights[i];
  out[1] = counter++;
  out[2] = local;
  out[3] = of_type<float>;
  out[4] = Holder::member;
  out[5] = primes[i % 3];
}

int main() {
  float out[6];
  read<<<1, 1>>>(out, 2);
  CHECK_CUDA(cudaGetLastError());
  CHECK(out[0] == 3 && out[1] == 0 && out[2] == 2.5f && out[3] == 3 && out[4] == 6 && out[5] == 5);
  float new_weights[4] = {5, 6, 7, 8}, one = 30;
  double new_local = 1.5;
  int six = 60;
  CHECK_CUDA(cudaMemcpyToSymbol(weights, new_weights, sizeof new_weights));
  CHECK_CUDA(cudaMemcpyToSymbol(weights, &one, sizeof one, sizeof one));
  CHECK_CUDA(cudaMemcpyToSymbol(local, &new_local, sizeof local));
  CHECK_CUDA(cudaMemcpyToSymbol(of_type<float>, &one, sizeof one));
  CHECK_CUDA(cudaMemcpyToSymbolAsync(Holder::member, &six, sizeof six));
  read<<<1, 1>>>(out, 1);
  CHECK(out[0] == 30 && out[1] == 1 && out[2] == 1.5f && out[3] == 30 && out[4] == 60 && out[5] == 3);
  int count = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 2);
  void *address = nullptr;
  size_t size = 0;
  CHECK_CUDA(cudaGetSymbolAddress(&address, weights));
  CHECK_CUDA(cudaGetSymbolSize(&size, weights));
  CHECK(size == 16 && static_cast<float *>(address)[3] == 8);
  int from[3];
  CHECK_CUDA(cudaMemcpyFromSymbol(from, primes, sizeof from));
  CHECK(from[2] == 5);
  CHECK(cudaMemcpyToSymbol(weights, new_weights, 17) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(weights, new_weights, 4, 13) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(primes, from, 4) == cudaErrorInvalidSymbol);
  CHECK(cudaMemcpyFromSymbol(&count, ordinary, 4) == cudaErrorInvalidSymbol);
}
