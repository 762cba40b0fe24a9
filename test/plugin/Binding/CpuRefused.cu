// CUDA C++ that has no CPU target, with its place; only in code that is emitted. No kernel here is bound.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --check-prefix=HOST --implicit-check-not=error:
// RUN: not %cpu-device -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -DEMITTED -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --check-prefix=EMITTED --implicit-check-not=error:
// RUN: %toolkit-device -Wno-everything -fsyntax-only %s
// REQUIRES: cpu, cuda

#ifndef EMITTED
struct NonTrivial {
  float a;
  __host__ __device__ NonTrivial(float v) : a(v) {}
  __host__ __device__ NonTrivial(const NonTrivial &s) : a(s.a) {}
};
struct Trivial {
  Trivial() {}
  float a[4];
};
// HOST: :[[#@LINE+2]]:38: error: 's' of type 'NonTrivial' is not trivially copyable: the CPU target cannot pass it to a kernel
// CHECK: :[[#@LINE+1]]:38: error: 's' of type 'NonTrivial' is not trivially copyable: the CPU target cannot pass it to a kernel
__global__ void parameter(NonTrivial s, float *y, Trivial t) { y[0] = s.a; }
// HOST: :[[#@LINE+2]]:53: error: 't' of type 'NonTrivial' is not trivially copyable
// CHECK: :[[#@LINE+1]]:53: error: 't' of type 'NonTrivial' is not trivially copyable
template <class T> __global__ void templateKernel(T t) {}
template <class T> __global__ void notInstantiated(T t, NonTrivial s) {}
void launch() {
  templateKernel<<<1, 1>>>(NonTrivial(1));
  templateKernel<<<1, 1>>>(Trivial());
}
#else
#include <coroutine>

inline __device__ int unused() {
  int i;
  asm("mov.u32 %0, %%laneid;" : "=r"(i));
  return i;
}
inline __device__ int lane() {
  int i;
  // EMITTED-DAG: :[[#@LINE+2]]:3: error: inline assembly of CUDA has no CPU target; guard it with #ifndef __KERNIX_CPU__
  // EMITTED-DAG: :[[#@LINE+14]]:10: note: called by 'assembly'
  asm("mov.u32 %0, %%laneid;" : "=r"(i));
  return i;
}
int host() {
  int i;
  asm("mov $1, %0" : "=r"(i));
  return i;
}
__host__ __device__ void nothing() { asm volatile("" ::: "memory"); }
#ifndef __KERNIX_CPU__
__device__ void guarded() { asm("bar.sync 0;"); }
#endif
__global__ void assembly(float *y) {
  y[0] = lane();
  nothing();
}
template <class T> __host__ __device__ void both(T t) {
#ifdef __CUDA_ARCH__
  // EMITTED-DAG: :[[#@LINE+1]]:3: error: inline assembly of CUDA has no CPU target
  asm("bar.sync 0;");
#endif
}
__global__ void callsBoth(float *y) {
  both(1);
  // EMITTED-DAG: :[[#@LINE+1]]:17: error: inline assembly of CUDA has no CPU target
  auto l = [] { asm("bar.sync 1;"); };
  l();
}

struct Task {
  struct promise_type {
    __host__ __device__ Task get_return_object() { return {}; }
    __host__ __device__ std::suspend_never initial_suspend() noexcept { return {}; }
    __host__ __device__ std::suspend_never final_suspend() noexcept { return {}; }
    __host__ __device__ void return_void() {}
    __host__ __device__ void unhandled_exception() {}
  };
};
Task onHost() { co_return; }
inline __device__ Task unusedTask() { co_return; }
// EMITTED-DAG: :[[#@LINE+2]]:24: error: a coroutine has no CPU target in device code; write it as a function or as a loop
// EMITTED-DAG: :[[#@LINE+6]]:3: note: called by 'coroutines'
inline __device__ Task task(float *y) {
  y[0] = 1;
  co_return;
}
__global__ void coroutines(float *y) {
  task(y);
}

extern __device__ float table[];
extern __device__ float sized[4];
extern __constant__ int constants[];
__global__ void arrays(float *y) {
  extern __shared__ float shared[];
  y[0] = shared[0] + sized[0];
  // EMITTED-DAG: :[[#@LINE+1]]:10: error: the size of this array is not known here, and without it the CPU target takes it for dynamic shared memory; declare the size
  y[1] = table[0];
  // EMITTED-DAG: :[[#@LINE+1]]:10: error: the size of this array is not known here
  y[2] = constants[0];
}
#endif
