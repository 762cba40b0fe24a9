// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

struct Place {
  unsigned t[3], b[3], bd[3], gd[3], shared;
};

__device__ __attribute__((noinline)) void read_place(Place &p) {
  p = {{threadIdx.x, threadIdx.y, threadIdx.z},
       {blockIdx.x, blockIdx.y, blockIdx.z},
       {blockDim.x, blockDim.y, blockDim.z},
       {gridDim.x, gridDim.y, gridDim.z},
       kernix_cpu_dynamic_shared_size()};
}
__device__ unsigned linear() {
  unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return b * blockDim.x * blockDim.y * blockDim.z + t;
}
__device__ int depth(int n) { return n == 0 ? threadIdx.x : depth(n - 1) + 1; }

// Constant for each thread, not for all.
__device__ __attribute__((const, noinline)) int own_number(int factor) { return threadIdx.x * factor; }
__global__ void constant_function(int *out) {
  out[threadIdx.x] = own_number(3);
  __syncthreads();
  out[threadIdx.x + 64] = own_number(3);
}
__global__ void constant_function_alone(int *out) { out[threadIdx.x] = own_number(3); }

__global__ void inlined(Place *out) {
  out[linear()] = {{threadIdx.x, threadIdx.y, threadIdx.z},
                   {blockIdx.x, blockIdx.y, blockIdx.z},
                   {blockDim.x, blockDim.y, blockDim.z},
                   {gridDim.x, gridDim.y, gridDim.z},
                   kernix_cpu_dynamic_shared_size()};
}
__global__ void called(Place *out) { read_place(out[linear()]); }
__global__ void waiting(Place *out) {
  kernix_cpu_barrier();
  read_place(out[linear()]);
  kernix_cpu_barrier();
}
__global__ void recursive(int *out) { out[linear()] = depth(3 + threadIdx.x % 2); }

void check(void (*kernel)(Place *), dim3 grid, dim3 block) {
  std::vector<Place> out(grid.x * grid.y * grid.z * block.x * block.y * block.z);
  kernel<<<grid, block, 100>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  unsigned i = 0;
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned tz = 0; tz < block.z; ++tz)
          for (unsigned ty = 0; ty < block.y; ++ty)
            for (unsigned tx = 0; tx < block.x; ++tx, ++i) {
              const Place &p = out[i];
              CHECK(p.t[0] == tx && p.t[1] == ty && p.t[2] == tz);
              CHECK(p.b[0] == bx && p.b[1] == by && p.b[2] == bz);
              CHECK(p.bd[0] == block.x && p.bd[1] == block.y && p.bd[2] == block.z);
              CHECK(p.gd[0] == grid.x && p.gd[1] == grid.y && p.gd[2] == grid.z);
              CHECK(p.shared == 100);
            }
}

int main() {
  for (auto kernel : {inlined, called, waiting}) {
    check(kernel, 1, 1);
    check(kernel, {3, 4, 5}, {2, 3, 4});
    check(kernel, {17, 1, 2}, {33, 2});
    check(kernel, {1, 9}, {1, 1, 7});
  }
  std::vector<int> numbers(128);
  constant_function<<<1, 64>>>(numbers.data());
  for (int i = 0; i < 128; ++i)
    CHECK(numbers[i] == i % 64 * 3);
  numbers.assign(128, 0);
  constant_function_alone<<<1, 128>>>(numbers.data());
  for (int i = 0; i < 128; ++i)
    CHECK(numbers[i] == i * 3);
  std::vector<int> out(64);
  recursive<<<2, 32>>>(out.data());
  for (int i = 0; i < 64; ++i)
    CHECK(out[i] == i % 32 + 3 + i % 2);
}
