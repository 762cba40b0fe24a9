// Loads with cache hints are loads, every form of atomicAdd on floats is one instruction.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CPU

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define F extern "C" __device__

// CHECK-LABEL: define {{.*}}@positive_constant_load(
// CUDA: load float, ptr %0, align 4, {{.*}}!invariant.load
// CPU: load float, ptr %0, align 4
F float positive_constant_load(const float *x) { return __ldg(x); }

// CHECK-LABEL: define {{.*}}@positive_constant_load_of_half(
// CUDA: load half, ptr %1, align 2, {{.*}}!invariant.load
// CPU: load half, ptr %1, align 2
F void positive_constant_load_of_half(__half *y, const __half *x) { *y = __ldg(x) + __ldg(x); }

// CHECK-LABEL: define {{.*}}@positive_vector_load(
// CUDA: load float, ptr %0, align 16
// CHECK-NOT: asm
// CHECK: ret float
F float positive_vector_load(const float4 *x) {
  float4 v = __ldcg(x);
  return v.x + v.w;
}

// CHECK-LABEL: define {{.*}}@positive_atomics(
// CUDA: atomicrmw fadd ptr %0, float {{.*}} syncscope("device") monotonic
// CUDA: atomicrmw fadd ptr %0, float {{.*}} syncscope("block") monotonic
// CPU: atomicrmw fadd ptr %0, float {{.*}} monotonic
// CPU: atomicrmw fadd ptr %0, float {{.*}} monotonic
// CHECK: atomicrmw fadd ptr %0, float {{.*}} monotonic
// CHECK: atomicrmw fadd ptr %1, double {{.*}} monotonic
// CHECK: atomicrmw fadd ptr %2, half {{.*}} monotonic
// CHECK: atomicrmw fadd ptr %3, bfloat {{.*}} monotonic
F void positive_atomics(float *f, double *d, __half *h, __nv_bfloat16 *b) {
  atomicAdd(f, 1.0f);
  atomicAdd_block(f, 2.0f);
  atomicAdd_system(f, 3.0f);
  atomicAdd(d, 4.0);
  atomicAdd(h, h[1]);
  atomicAdd(b, b[1]);
}

// CHECK-LABEL: define {{.*}}@positive_atomic_pair(
// CHECK: atomicrmw fadd ptr %0, half
// CHECK: atomicrmw fadd ptr %{{.*}}, half
F void positive_atomic_pair(__half2 *h) { atomicAdd(h, h[1]); }

// CHECK-LABEL: define {{.*}}@positive_old_value(
// CHECK: [[OLD:%.*]] = atomicrmw fadd
// CHECK: ret float [[OLD]]
F float positive_old_value(float *f) { return atomicAdd(f, 1.0f); }

// CHECK-LABEL: define {{.*}}@negative_others(
// CHECK: atomicrmw xchg ptr %0, i32
// CHECK: atomicrmw add ptr %1, i32 1
F void negative_others(float *f, int *i) {
  atomicExch(f, 1.0f);
  atomicAdd(i, 1);
}

// CHECK-LABEL: define {{.*}}@negative_volatile(
// CUDA: asm
// CPU: fence
F float negative_volatile(const float *f) { return __ldcv(f); }
