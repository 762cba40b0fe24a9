// [[kernix::no_diff]] behind the definition: of functions it is known everywhere; the code of parameters and variables
// has been made.
// RUN: not %cuda-device -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-device -S -emit-llvm -o - -DPOSITIVE -fplugin-arg-kernix-derive=off %s 2>&1 | FileCheck --check-prefix=MARK --implicit-check-not=warning %s

namespace space {
__device__ float late(float a) { return a; }
[[kernix::no_diff]] __device__ float late(float);
template <class T> [[kernix::no_diff]] __device__ T general(T a) { return a; }
template <> __device__ float general<float>(float a) { return a; }
template __device__ double general<double>(double);
[[kernix::store]] __device__ float overload(float a) { return a; }
[[kernix::no_diff]] __device__ float overload(float, int);
__device__ float overload(float a, int) { return a; }
} // namespace space
// Each annotation is a function and its text.
// MARK: @[[NO_DIFF:[.a-z0-9]+]] = private unnamed_addr constant [15 x i8] c"kernix.no_diff\00"
// MARK: @[[STORE:[.a-z0-9]+]] = private unnamed_addr constant [22 x i8] c"kernix.store:overload\00"
// MARK: @llvm.global.annotations =
// MARK-NOT: @_ZN5space7generalIfEET_S1_, ptr @[[NO_DIFF]]
// MARK-DAG: ptr @_ZN5space4lateEf, ptr @[[NO_DIFF]]
// MARK-DAG: ptr @_ZN5space7generalIdEET_S1_, ptr @[[NO_DIFF]]
// MARK-DAG: ptr @_ZN5space8overloadEf, ptr @[[STORE]]
// MARK-DAG: ptr @_ZN5space8overloadEfi, ptr @[[NO_DIFF]]

#ifndef POSITIVE
__device__ float ofParameter(float a, float b) { return a * b; }
__device__ float ofParameter(float a, [[kernix::no_diff]] float b);
// CHECK: :[[@LINE-1]]:41: error: 'kernix::no_diff' comes too late for the code of 'ofParameter', which is defined before; write it on the definition, or on a declaration before it
// CHECK: :[[@LINE-3]]:18: note: defined here
template <class T> __device__ T ofTemplate(T a) { return a; }
template <class T> __device__ T ofTemplate([[kernix::no_diff]] T a);
// CHECK: :[[@LINE-1]]:46: error: 'kernix::no_diff' comes too late for the code of 'ofTemplate'
template <class T> __device__ T ofSpecialization([[kernix::no_diff]] T a) { return a; }
template <> __device__ float ofSpecialization<float>(float a) { return a; }
template <> __device__ float ofSpecialization<float>([[kernix::no_diff]] float a);
// CHECK: :[[@LINE-1]]:56: error: 'kernix::no_diff' comes too late for the code of 'ofSpecialization<float>'
__device__ float variable = 1;
[[kernix::no_diff]] extern __device__ float variable;
// CHECK: :[[@LINE-1]]:3: error: 'kernix::no_diff' comes too late for the code of 'variable', which is defined before
// CHECK: :[[@LINE-3]]:18: note: defined here
// Known without the code of the kernel.
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, const float *w, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * w[threadIdx.x];
}
__global__ void kernel(const float *x, [[kernix::no_diff]] const float *w, float *y);
// Said before, too.
__device__ float inTime(float a, [[kernix::no_diff]] float b);
__device__ float inTime(float a, float b) { return a * b; }
__device__ float inTime(float a, [[kernix::no_diff]] float b);
[[kernix::no_diff]] extern __device__ float variableInTime;
__device__ float variableInTime = 1;
[[kernix::no_diff]] extern __device__ float variableInTime;
#endif
// CHECK: 4 errors generated
