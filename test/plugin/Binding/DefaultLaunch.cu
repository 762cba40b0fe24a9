// One thread per element of the first output is a launch only where threads do not share an element; else there is none.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %toolkit-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu, cuda
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void
#define GLOBAL_INDEX int(blockIdx.x *blockDim.x + threadIdx.x)

//===--- Maps

// CHECK: kernel map{{.*}}] only-x{{$}}
KERNEL map(const float *x, float *y, int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i];
}
// CHECK: kernel mapOfView{{.*}}] only-x{{$}}
KERNEL mapOfView(kernix::TensorView<float> y) { y(GLOBAL_INDEX) = 1; }
// CHECK: kernel mapByPointer{{.*}}] only-x{{$}}
KERNEL mapByPointer(float *y) {
  float *p = y + GLOBAL_INDEX;
  *p = 1;
}
__device__ void store(float *y, int i) { y[i] = 1; }
// CHECK: kernel mapInCallee{{.*}}] only-x{{$}}
KERNEL mapInCallee(float *y) { store(y, GLOBAL_INDEX); }
// CHECK: kernel unseenIndex{{.*}}] only-x{{$}}
KERNEL unseenIndex(float *y, const int *index) { y[index[blockIdx.x]] = 1; }
// CHECK: kernel changedIndex{{.*}}] only-x{{$}}
KERNEL changedIndex(float *y, int k) {
  k += blockIdx.x + threadIdx.x;
  y[k] = 1;
}
// CHECK: kernel loop{{.*}}] only-x{{$}}
KERNEL loop(float *y, int n) {
  for (int i = blockIdx.x; i < n; ++i)
    y[i] = 1;
}

//===--- Several threads for one element

// CHECK: kernel total{{.*}}] only-x shared-output{{$}}
KERNEL total(const float *x, float *y, int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    atomicAdd(y, x[i]);
}
// CHECK: kernel histogram{{.*}}] only-x shared-output{{$}}
KERNEL histogram(const int *x, int *bins) { atomicAdd(&bins[x[GLOBAL_INDEX]], 1); }
// CHECK: kernel firstElement{{.*}}] only-x shared-output{{$}}
KERNEL firstElement(const float *x, float *y) {
  if (x[GLOBAL_INDEX] > 0)
    y[0] = 1;
}
// CHECK: kernel perBlock{{.*}}] only-x shared-output{{$}}
KERNEL perBlock(const float *x, float *y) {
  __shared__ float part[256];
  part[threadIdx.x] = x[GLOBAL_INDEX];
  __syncthreads();
  const unsigned block = blockIdx.x, last = block + gridDim.x - 1;
  if (threadIdx.x == 0)
    y[block] = part[0] + part[255];
  y[last / 2] = 0;
}
// CHECK: kernel viewPerBlock{{.*}}] only-x shared-output{{$}}
KERNEL viewPerBlock(kernix::TensorView<float> y, int k) { y(blockIdx.x, k) = threadIdx.x; }
// CHECK: kernel byParameter{{.*}}] only-x shared-output one-block{{$}}
KERNEL byParameter(float *y, int k) { *(y + (k - 1) * 2) = threadIdx.x; }
enum { Slot = 3 };
// CHECK: kernel byConstant{{.*}}] only-x shared-output one-block{{$}}
KERNEL byConstant(float *y) {
  constexpr int other = 4;
  y[Slot] = threadIdx.x;
  y[other] = threadIdx.x;
}

//===--- One thread, or the first one alone

// CHECK: kernel noThread{{.*}}] only-x one-thread one-block{{$}}
KERNEL noThread(const float *x, float *y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sqrtf(x[i]);
  *y = sum;
}
// CHECK: kernel firstThread{{.*}}] only-x{{$}}
KERNEL firstThread(float *y) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    y[0] = gridDim.x;
}
// CHECK: kernel firstThreadReturns{{.*}}] only-x{{$}}
KERNEL firstThreadReturns(float *y) {
  int i = GLOBAL_INDEX;
  if (i)
    return;
  y[0] = gridDim.x;
}
// CHECK: kernel firstThreadInSteps{{.*}}] only-x{{$}}
KERNEL firstThreadInSteps(float *y) {
  if (0 != threadIdx.x) {
    return;
  }
  if (!blockIdx.x)
    y[0] = 1;
}
// CHECK: kernel firstOfBlock{{.*}}] only-x shared-output{{$}}
KERNEL firstOfBlock(float *y) {
  if (!threadIdx.x)
    y[0] += blockIdx.x;
}
// CHECK: kernel notTheFirst{{.*}}] only-x shared-output{{$}}
KERNEL notTheFirst(float *y) {
  if (threadIdx.x || blockIdx.x == 0)
    y[0] = 1;
}
// CHECK: kernel firstAfterOthers{{.*}}] only-x shared-output{{$}}
KERNEL firstAfterOthers(float *y) {
  __shared__ int count;
  atomicAdd(&count, 1);
  if (threadIdx.x == 0 && blockIdx.x == 0)
    y[0] = count;
}
__device__ int index(int k = 0) { return k + GLOBAL_INDEX; }
struct Index {
  int i;
  __device__ Index() { i = index(); }
};
// CHECK: kernel firstThreadOfFunction{{.*}}] only-x{{$}}
KERNEL firstThreadOfFunction(const float *x, float *y, int n) {
  int i = GLOBAL_INDEX, last = min(index(), n), of[2] = {i, last};
  Index other;
  float root = sqrtf(x[0]), next = __ldg(x + of[1]);
  if (i >= n)
    return;
  if (i == 0 && atomicAdd(y, root + next) > other.i)
    y[0] = 1;
}
// CHECK: kernel effectOfInitializer{{.*}}] only-x shared-output{{$}}
KERNEL effectOfInitializer(const float *x, float *y, int *count, int n) {
  int i = GLOBAL_INDEX;
  float before = atomicAdd(y, x[i]);
  if (i == 0)
    *count = n;
}
// CHECK: kernel effectOfEarlyReturn{{.*}}] only-x shared-output{{$}}
KERNEL effectOfEarlyReturn(const float *x, float *y, int *count, int n) {
  int i = GLOBAL_INDEX;
  if (atomicAdd(y, x[i]) > 1e9f)
    return;
  if (i == 0)
    *count = n;
}
// CHECK: kernel effectOfCondition{{.*}}] only-x shared-output{{$}}
KERNEL effectOfCondition(const float *x, float *y, int *count, int n) {
  int i = GLOBAL_INDEX;
  if (atomicAdd(y, x[i]) >= 0 && i == 0)
    *count = n;
}
// CHECK: kernel effectOfReturn{{.*}}] only-x shared-output{{$}}
KERNEL effectOfReturn(const float *x, float *y, int n) {
  int i = GLOBAL_INDEX;
  if (i)
    return (void)atomicAdd(y, x[i]);
  y[0] = n;
}
__device__ float sumOfWarp(float v) { return v + __shfl_down_sync(~0u, v, 1); }
// CHECK: kernel effectOfShuffle{{.*}}] only-x shared-output{{$}}
KERNEL effectOfShuffle(const float *x, float *y, int n) {
  int i = GLOBAL_INDEX;
  float sum = sumOfWarp(x[i]);
  if (i == 0)
    *y = sum;
}
// Several threads, though none looks at its id.
// CHECK: kernel counted{{.*}}] only-x shared-output one-block{{$}}
KERNEL counted(float *y) { atomicAdd(y, 1.0f); }
// CHECK: kernel synchronized{{.*}}] only-x shared-output one-block{{$}}
KERNEL synchronized(float *y) { y[0] = __syncthreads_count(1); }
// CHECK: kernel shuffled{{.*}}] only-x shared-output one-block{{$}}
KERNEL shuffled(float *y) { y[0] = __shfl_down_sync(~0u, 1.0f, 1); }

//===--- One block

// CHECK: kernel oneBlock{{.*}}] only-x one-block{{$}}
KERNEL oneBlock(float *y) { y[threadIdx.x] = 1; }
// CHECK: kernel planar{{.*}}]{{$}}
KERNEL planar(float *y) { y[threadIdx.y] = 1; }
