// A function of the user's under a name of CUDA's is what its body says; what CUDA has is raised beside it.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s
// RUN: %toolkit-device --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_80 -O1 -Xclang -disable-llvm-passes -S -emit-llvm \
// RUN:   %s -o - | %opt -load-pass-plugin=%plugin -passes='kernix-raise' -S | FileCheck %s --check-prefix=OLD

// CHECK-NOT: kernix.own
#include <cuda_fp16.h>

#define F extern "C" __device__

static __device__ __half2 __hmul(__half2 a, __half2 b) { return __hsub2(a, b); }

// CHECK-LABEL: define {{.*}}@negative_arithmetic(
// CHECK-NOT: fmul
// CHECK: fsub {{.*}}half
// CHECK-NOT: fmul
// CHECK: ret void
F void negative_arithmetic(__half2 *y, const __half2 *x) { y[0] = __hmul(x[0], x[1]); }

// CHECK-LABEL: define {{.*}}@positive_arithmetic(
// CHECK: fmul {{.*}}half
// CHECK: fmul {{.*}}half
// CHECK: ret void
F void positive_arithmetic(__half2 *y, const __half2 *x) { y[0] = __hmul2(x[0], x[1]); }

__device__ inline __half2 hexp(__half2 a) { return __hneg2(a); }

// CHECK-LABEL: define {{.*}}@negative_math(
// CHECK-NOT: kernix.exp
// CHECK: fneg {{.*}}half
// CHECK: ret void
F void negative_math(__half2 *y, const __half2 *x) { y[0] = hexp(x[0]); }

__device__ inline double3 __ldg(const double3 *p) { return make_double3(__ldg(&p->x), p->y, p->z); }

// CHECK-LABEL: define {{.*}}@negative_load(
// CHECK-NOT: align 16
// CHECK: ret double
F double negative_load(const double3 *p) { return __ldg(p).x; }

struct Pair {
  float a;
  int b;
};
__device__ inline Pair __shfl_down_sync(unsigned mask, Pair p, unsigned n, int width) {
  return {__shfl_down_sync(mask, p.a, n, width), p.b};
}

// CHECK-LABEL: define {{.*}}@negative_shuffle(
// CHECK-NOT: kernix.shfl.down.i64
// CHECK: call {{.*}}float @kernix.shfl.down.f32(
// CHECK: ret float
F float negative_shuffle(float x) { return __shfl_down_sync(0xffffffffu, Pair{x, 1}, 2, 32).a; }

__device__ inline unsigned __reduce_xor_sync(int mask, unsigned value) { return mask + value; }

// CHECK-LABEL: define {{.*}}@negative_reduction(
// CHECK-NOT: kernix.reduce
// CHECK: add i32
// CHECK: ret i32
F unsigned negative_reduction(int x) { return __reduce_xor_sync(x, 3u); }

__device__ inline void atomicAdd(float3 *p, float3 v) { atomicAdd(&p->x, v.y); }

// CHECK-LABEL: define {{.*}}@negative_addition(
// CHECK: atomicrmw fadd ptr %0, float %2
// CHECK-NOT: atomicrmw
// CHECK: ret void
F void negative_addition(float3 *p, float x, float y) { atomicAdd(p, make_float3(x, y, x)); }

__device__ inline short atomicAdd(short *p, short v) { return v; }

// CHECK-LABEL: define {{.*}}@negative_short(
// CHECK-NOT: atomicrmw
// CHECK: ret i32
F int negative_short(short *p) { return atomicAdd(p, short(3)); }

__device__ inline float __saturatef(float2 x) { return x.x + x.y; }

// CHECK-LABEL: define {{.*}}@negative_saturation(
// CHECK-NOT: kernix.saturate
// CHECK: fadd {{.*}}float
// CHECK: ret float
F float negative_saturation(float x) { return __saturatef(make_float2(x, 1)); }

// CUDA's own addition, on a device that has none: its loop has no derivative, and the sum it stands for has.
#if __CUDA_ARCH__ < 900 && !defined(__KERNIX_CPU__)
static __device__ float2 atomicAdd(float2 *p, float2 v) {
  auto *place = reinterpret_cast<unsigned long long *>(p);
  unsigned long long old = *place, seen;
  do {
    seen = old;
    float2 sum = *reinterpret_cast<float2 *>(&seen);
    sum.x += v.x, sum.y += v.y;
    old = atomicCAS(place, seen, *reinterpret_cast<unsigned long long *>(&sum));
  } while (old != seen);
  return *reinterpret_cast<float2 *>(&old);
}
#endif

// OLD-LABEL: define {{.*}}@positive_addition(
// OLD-COUNT-2: atomicrmw fadd ptr {{.*}} float
// OLD: ret void
F void positive_addition(float2 *p, float2 v) { atomicAdd(p, v); }

// Declared here and defined in another file.
extern __device__ __half2 __hadd(__half2 a, __half2 b);

// CHECK-LABEL: define {{.*}}@negative_declaration(
// CHECK-NOT: fadd
// CHECK: call {{.*}}@_Z6__hadd7__half2S_(
F void negative_declaration(__half2 *y, const __half2 *x) { y[0] = __hadd(x[0], x[1]); }
