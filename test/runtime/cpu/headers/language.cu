// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: %t.O0 && %t.O1 && %t.O2 && %t.O3
//
// The language without any CUDA header: keywords, built-in variables, macros, launches.
#include "check.h"
#include <cassert>
#include <type_traits>
#include <vector>

#if __CUDACC_VER_MAJOR__ != 13 || CUDA_VERSION != 13000 || CUDART_VERSION != 13000 || !defined(__CUDACC__) ||          \
    !defined(__KERNIX_CPU__)
#error
#endif
static_assert(CUDART_VERSION == 13000);

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter;
struct __align__(16) Aligned {
  float x;
};
static_assert(alignof(Aligned) == 16);

__host__ __device__ __forceinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__host__ __device__ int arch() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}

__device__ unsigned by_reference(const uint3 &v) { return v.x + 10 * v.y + 100 * v.z; }
__device__ unsigned by_value(dim3 v) { return v.x + 10 * v.y + 100 * v.z; }
template <class T> __device__ T same(T x) { return x; }

struct Parameters {
  int n, scale;
};

template <class T> __global__ void __launch_bounds__(1024, 1) variables(T *out, const __grid_constant__ Parameters p) {
  __shared__ int tile[4];
  extern __shared__ int dynamic[];
  int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  T *to = out + 16 * (block * blockDim.x * blockDim.y * blockDim.z + i);
  uint3 t = threadIdx;
  auto copy = blockIdx;
  const auto &reference = threadIdx;
  dim3 size = blockDim, built(threadIdx.x, threadIdx.y, threadIdx.z), converted(threadIdx);
  if (i < 4)
    tile[i] = i, dynamic[i] = 10 * i;
  __syncthreads();
  to[0] = by_reference(threadIdx), to[1] = by_value(blockIdx), to[2] = by_value(blockDim),
  to[3] = by_reference(gridDim);
  to[4] = by_value(built) + by_reference(t) - by_value(converted) + (reference.x - t.x),
  to[5] = copy.x + 10 * copy.y + 100 * copy.z;
  to[6] = std::min(threadIdx.x, 1u) + max(blockDim.x, 7), to[7] = warpSize, to[8] = same(threadIdx.y) + size.z;
  auto lambda = [=] __device__(int x) { return x + static_cast<int>(threadIdx.x); };
  to[9] = lambda(5), to[10] = twice(3) + thrice(3), to[11] = arch(), to[12] = static_cast<T>(table[i % 4]);
  to[13] = tile[3 - i % 4] + dynamic[i % 4], to[14] = p.n * p.scale, to[15] = atomicAdd(&counter, 1) >= 0;
  static_assert(std::is_same_v<decltype(threadIdx.x + 0), unsigned>);
}

namespace {
__global__ void hidden(int *out) { *out = 7; }
} // namespace
template <int N> __global__ void member_like(int *out) { *out = N; }

__global__ void allocate(int *out) {
  int *mine = static_cast<int *>(malloc(4 * sizeof(int)));
  int *array = new int[4];
  auto *stack = static_cast<int *>(alloca(4 * sizeof(int)));
  struct Pair {
    int a, b;
  };
  auto *pair = new Pair{1, 2};
  auto *placed = new (mine) Pair{3, 4};
  memset(array, 0, 4 * sizeof(int));
  stack[1] = 5, array[1] = 6;
  *out = pair->a + 10 * placed->b + 100 * stack[1] + 1000 * array[1] + 10000 * array[0];
  delete pair;
  delete[] array;
  free(mine);
  assert(*out == 6541);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(1);
  long long before = clock64();
  clock_t also = clock();
  if (clock64() < before || also == 0)
    *out = 0;
}

int main() {
  dim3 grid(2, 3, 2), block{4, 2, 2};
  constexpr int total = 12 * 16;
  std::vector<int> out(16 * total);
  cudaStream_t stream = nullptr;
  variables<<<grid, block, 4 * sizeof(int), stream>>>(out.data(), Parameters{6, 7});
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int at = 0; at < total; ++at) {
    const int *to = &out[16 * at];
    int i = at % 16, b = at / 16, x = i % 4, y = i / 4 % 2, z = i / 8;
    int thread = x + 10 * y + 100 * z, place = b % 2 + 10 * (b / 2 % 3) + 100 * (b / 6);
    CHECK(to[0] == thread && to[1] == place && to[2] == 224 && to[3] == 232 && to[4] == thread && to[5] == place);
    CHECK(to[6] == std::min(x, 1) + 7 && to[7] == 32 && to[8] == y + 2 && to[9] == 5 + x && to[10] == 15 &&
          to[11] == 750);
    CHECK(to[12] == 1 + i % 4 && to[13] == 3 - i % 4 + 10 * (i % 4) && to[14] == 42 && to[15] == 1);
  }
  int value = 0;
  hidden<<<1, 1>>>(&value);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(value == 7);
  member_like<9><<<1, 1>>>(&value);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(value == 9);
  allocate<<<1, 1>>>(&value);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(value == 6541);
  CHECK(arch() == 0 && twice(4) == 8);
}
