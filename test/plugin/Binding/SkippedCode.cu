// Code for the other pass counts as unknown where it mentions the tensor or the geometry.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

__device__ void helper(float *p) {
  *p = 1;
#ifdef __CUDA_ARCH__
  *p += 1;
#endif
}

// CHECK: kernel otherArchitecture = otherArchitecture(float *y, float *z) [ret ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
// CHECK-NEXT:   z: ret pointer float32 written
[[kernix::bind]] __global__ void otherArchitecture(float *y, float *z) {
  y[0] = z[0] = 1;
#if defined(__CUDA_ARCH__)
  y[1] += 1;
#else
  y[1] = 1;
#endif
}
// CHECK: kernel inHelper = inHelper(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
[[kernix::bind]] __global__ void inHelper(float *y) { helper(y); }
// CHECK: kernel otherAxes = otherAxes(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written zero_init
[[kernix::bind]] __global__ void otherAxes(float *y) {
  y[0] = 1;
#ifdef __CUDA_ARCH__
  if (threadIdx.y)
    return;
#endif
}
// CHECK: kernel unrelated = unrelated(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
[[kernix::bind]] __global__ void unrelated(float *y) {
  y[0] = 1;
#if 0
  printf("not mentioned");
#endif
}
#if 0
y[1] += threadIdx.y; // outside of every body
#endif

//===--- Code that is written outside of bodies, or that nobody calls

struct RowOfMember {
#ifdef __CUDA_ARCH__
  int r = threadIdx.y;
#else
  int r = 0;
#endif
  __device__ int other() const {
#ifdef UNRELATED
    return threadIdx.z;
#endif
    return r;
  }
};
// CHECK: kernel memberInitializer = memberInitializer(float *y) [ret]{{$}}
[[kernix::bind]] __global__ void memberInitializer(float *y) { y[RowOfMember{}.r] = 1; }
struct Rows {
  RowOfMember rows[2];
};
// CHECK: kernel memberOfMember = memberOfMember(float *y) [ret]{{$}}
[[kernix::bind]] __global__ void memberOfMember(float *y) {
  Rows rows;
  y[rows.rows[1].r] = 1;
}
template <class T> struct RowOfConstructor {
  T r;
  __device__ RowOfConstructor()
#ifdef __CUDA_ARCH__
      : r(threadIdx.y)
#else
      : r(0)
#endif
  {
  }
};
// CHECK: kernel constructor = constructor(float *y) [ret]{{$}}
[[kernix::bind]] __global__ void constructor(float *y) { y[RowOfConstructor<int>().r] = 1; }
struct RowOfDestructor {
  int *r;
  __device__ ~RowOfDestructor() {
#ifdef __CUDA_ARCH__
    *r = threadIdx.y;
#endif
  }
};
// CHECK: kernel destructor = destructor(float *y) [ret]{{$}}
[[kernix::bind]] __global__ void destructor(float *y) {
  int r = 0;
  { RowOfDestructor put{&r}; }
  y[r] = 1;
}
__device__ int row(
#ifdef __CUDA_ARCH__
    int r = threadIdx.y
#else
    int r = 0
#endif
);
__device__ int row(int r) { return r; }
// CHECK: kernel defaultArgument = defaultArgument(float *y) [ret]{{$}}
[[kernix::bind]] __global__ void defaultArgument(float *y) { y[row()] = 1; }
struct Unrelated {
#ifdef UNRELATED
  int other;
#endif
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  __device__ int z() const {
#ifdef UNRELATED
    return threadIdx.z;
#endif
    return r;
  }
};
// CHECK: kernel unrelatedMembers = unrelatedMembers(float *y) [ret] only-x{{$}}
[[kernix::bind]] __global__ void unrelatedMembers(float *y) { y[Unrelated{}.r] = 1; }

//===--- Updates by several threads

__device__ void add(float *p, float v) {
#ifdef __CUDA_ARCH__
  atomicAdd(p, v);
#else
  *p += v;
#endif
}
// CHECK: kernel atomic = atomic(const float *x, float *y) [arg ret] only-x shared-output{{$}}
[[kernix::bind]] __global__ void atomic(const float *x, float *y) { add(y, x[threadIdx.x + blockIdx.x * blockDim.x]); }
// CHECK: kernel atomicBefore = atomicBefore(const float *x, float *y, float *n) [arg ret ret] only-x shared-output{{$}}
[[kernix::bind]] __global__ void atomicBefore(const float *x, float *y, float *n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
#ifdef __CUDA_ARCH__
  atomicAdd(y, x[i]);
#endif
  if (i == 0)
    n[0] = 1;
}
// CHECK: kernel oneThread = oneThread(float *y) [ret] only-x one-thread one-block{{$}}
[[kernix::bind]] __global__ void oneThread(float *y) {
  y[0] = 1;
#if 0
  float barycentric = matched;
#endif
}
// CHECK: kernel together = together(float *y) [ret] only-x one-block{{$}}
[[kernix::bind]] __global__ void together(float *y) {
#ifdef __CUDA_ARCH__
  y[0] = __syncthreads_count(1);
#else
  y[0] = 1;
#endif
}
