// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int plus_thread(int x) { return x + threadIdx.x; }
__device__ int lane_sum(int x) { // reaches a warp function through a pointer only
  for (int offset = 1; offset < 32; offset *= 2)
    x += static_cast<int>(kernix_cpu_warp_shuffle(0xffffffff, x, threadIdx.x % 32 ^ offset));
  return x;
}
__device__ Function functions[] = {twice, plus_thread, lane_sum};

__global__ void through_pointer(int *x, int which) { x[threadIdx.x] = functions[which](x[threadIdx.x]); }

struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Odd : Shape {
  __device__ int area() const override { return threadIdx.x; }
};
__global__ void virtual_calls(int *x) {
  Square square(threadIdx.x + 1);
  Odd odd;
  const Shape &shape = threadIdx.x % 2 ? static_cast<const Shape &>(odd) : square;
  x[threadIdx.x] = shape.area();
}

__device__ long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(long *x) { x[threadIdx.x] = fibonacci(threadIdx.x); }

// Local arrays and captured references belong to one thread.
template <class F> __device__ int apply(F f) { return f(); }
__global__ void locals(int *x) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = threadIdx.x * i;
  int sum = 0;
  auto add = [&] {
    for (int i = 0; i < 8; ++i)
      sum += own[(i + threadIdx.x) % 8];
    return sum;
  };
  x[threadIdx.x] = apply(add) + own[threadIdx.x % 8];
}
__global__ void locals_in_fiber(int *x) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = threadIdx.x * i;
  kernix_cpu_barrier();
  x[threadIdx.x] = own[threadIdx.x % 8];
}

int main() {
  std::vector<int> x(64);
  for (int which = 0; which < 3; ++which) {
    for (int i = 0; i < 64; ++i)
      x[i] = i;
    through_pointer<<<1, 64>>>(x.data(), which);
    CHECK_CUDA(cudaGetLastError());
    for (int i = 0; i < 64; ++i)
      CHECK(x[i] == (which < 2 ? 2 * i : i < 32 ? 496 : 496 + 1024));
  }
  virtual_calls<<<1, 64>>>(x.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == (i % 2 ? i : (i + 1) * (i + 1)));
  std::vector<long> f(20);
  recursion<<<1, 20>>>(f.data());
  CHECK(f[19] == 4181 && f[10] == 55);
  locals<<<1, 64>>>(x.data());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == 28 * i + i * (i % 8));
  locals_in_fiber<<<1, 64>>>(x.data());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == i * (i % 8));
}
