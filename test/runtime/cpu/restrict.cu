// Restricted pointers and barriers: what other threads have written by a pointer of the same name is seen behind them,
// in phases, in fibers (a function that waits out of line), and in functions with restricted parameters of their own.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

__device__ __attribute__((noinline)) void wait_out_of_line() { __syncthreads(); }
template <bool OutOfLine> __device__ void wait() {
  if (OutOfLine)
    wait_out_of_line();
  else
    __syncthreads();
}

template <bool OutOfLine> __device__ void steps(int *__restrict__ a, int *__restrict__ out) {
  int t = threadIdx.x, before = a[0];
  wait<OutOfLine>();
  if (t == 5)
    a[0] = before + 7;
  wait<OutOfLine>();
  int after = a[0];
  a[t + 64] = after;
  wait<OutOfLine>();
  if (t == 6)
    a[64] = 1000;
  wait<OutOfLine>();
  out[t] = after * 10 + before + a[t + 64];
}
template <bool OutOfLine> __global__ void in_kernel(int *__restrict__ a, int *__restrict__ out) {
  int t = threadIdx.x, before = a[0];
  wait<OutOfLine>();
  if (t == 5)
    a[0] = before + 7;
  wait<OutOfLine>();
  int after = a[0];
  a[t + 64] = after;
  wait<OutOfLine>();
  if (t == 6)
    a[64] = 1000;
  wait<OutOfLine>();
  out[t] = after * 10 + before + a[t + 64];
}
template <bool OutOfLine> __global__ void in_function(int *a, int *out) { steps<OutOfLine>(a, out); }

static void check(void (*kernel)(int *, int *)) {
  std::vector<int> a(128, 3), out(64);
  kernel<<<1, 64>>>(a.data(), out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int t = 0; t < 64; ++t)
    CHECK(out[t] == 103 + (t == 0 ? 1000 : 10));
}

int main() {
  check(in_kernel<false>);
  check(in_kernel<true>);
  check(in_function<false>);
  check(in_function<true>);
}
