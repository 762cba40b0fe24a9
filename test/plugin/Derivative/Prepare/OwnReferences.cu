// Integers that a function writes through a reference and reads back are computed again, and no derivative takes a
// reference for what is only read. Where other threads may write there, too, reading it back is refused.
// REQUIRES: cpu
// RUN: %cpu-host -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
// RUN: not %cpu-host -DNUMBERS -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=NUMBERS --implicit-check-not=error: %s
#include <kernix/kernix.h>

#define OUT kernix::intent(out_return), kernix::no_diff

// CHECK-LABEL: define {{.*}}in_a_loop_fwd
// CHECK: store i32
// CHECK: ret
// CHECK-LABEL: define {{.*}}in_a_loop_bwd
// CHECK-NOT: store i32
// CHECK: add {{.*}}i32
// CHECK: store double
// CHECK: ret void
[[kernix::bind, kernix::differentiable]] double in_a_loop(double x, [[OUT]] int &count) {
  count = 0;
  for (int i = 0; i < x; ++i)
    count += i;
  return x * x * count;
}

// CHECK-LABEL: define {{.*}}from_before_bwd
// CHECK-NOT: store i32
// CHECK: load i32, ptr %{{.*}}
// CHECK-NOT: store i32
// CHECK: ret void
[[kernix::bind, kernix::differentiable]] double from_before(double x, [[kernix::intent(inout_ptr)]] int &count) {
  for (int i = 0; i < x; ++i)
    count += i;
  return x * x * count;
}

#ifdef REFUSED
// REFUSED: OwnReferences.cu:[[#@LINE+6]]:18: error: cannot differentiate 'behind_a_barrier': it reads 'count' behind a barrier, where another thread may have written, and the backward would not find that value; exchange it in shared memory
[[kernix::bind, kernix::differentiable(backward)]]
__device__ double behind_a_barrier(double x, [[kernix::intent(inout_ptr)]] int &count) {
  if (threadIdx.x == 0)
    count = 5;
  __syncthreads();
  return x * x * count;
}

// REFUSED: OwnReferences.cu:[[#@LINE+4]]:18: error: cannot differentiate 'counted_by_all': it reads 'count' after it may have been written, and the backward would not find that value; keep it in a local variable
[[kernix::bind, kernix::differentiable(backward)]]
__device__ double counted_by_all(double x, [[kernix::intent(inout_ptr)]] int &count) {
  atomicAdd(&count, 1);
  return x * x * count;
}
#endif

#ifdef NUMBERS
[[kernix::bind, kernix::differentiable(backward)]]
double numbers(double x, int n, [[kernix::intent(out_array_return, 2), kernix::no_diff]] double (&scale)[2]) {
  scale[0] = scale[1] = 1;
  for (int i = 0; i < n; ++i)
    scale[i & 1] *= 1.5;
  // NUMBERS: OwnReferences.cu:[[#@LINE+1]]:18: error: cannot differentiate 'numbers': it reads 'scale' after it may have been written, and the backward would not find that value; keep it in a local variable
  return x * x * scale[0];
}
#endif
