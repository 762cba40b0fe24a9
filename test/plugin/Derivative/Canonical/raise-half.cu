// half and bfloat16 are native arithmetic on both targets, whatever their headers do.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CPU

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define F extern "C" __device__

// CHECK-LABEL: define {{.*}}@positive_operators(
// CHECK-DAG: fmul {{.*}}half
// CHECK-DAG: fadd {{.*}}half
// CHECK-DAG: fdiv {{.*}}half
// CHECK-DAG: fneg {{.*}}half
// CHECK-NOT: asm
// CHECK: ret void
F void positive_operators(__half *y, const __half *x) { y[0] = -((x[0] * x[1] + x[2]) / x[3]); }

// CHECK-LABEL: define {{.*}}@positive_functions(
// CHECK-NOT: asm
// CHECK: [[WIDE:%.*]] = fpext {{.*}}half {{.*}} to float
// CHECK: [[EXP:%.*]] = call {{.*}}float @kernix.exp.f32(float [[WIDE]])
// CHECK: fptrunc {{.*}}float [[EXP]] to half
// CHECK: call {{.*}}half @llvm.fma.f16(
// CHECK: call {{.*}}half @llvm.maxnum.f16(
F void positive_functions(__half *y, const __half *x) { y[0] = __hmax(__hfma(hexp(x[0]), x[1], x[2]), x[3]); }

// CHECK-LABEL: define {{.*}}@positive_conversions(
// CHECK-NOT: asm
// CHECK: fpext {{.*}}half {{.*}} to float
// CHECK: fptrunc {{.*}}float {{.*}} to half
F void positive_conversions(__half *y, const __half *x, float f) { y[0] = __float2half(__half2float(x[0]) * f); }

// CHECK-LABEL: define {{.*}}@positive_pairs(
// CHECK-NOT: asm
// CHECK: fmul {{.*}}half
// CHECK: fmul {{.*}}half
F void positive_pairs(__half2 *y, const __half2 *x) { y[0] = __hmul2(x[0], x[1]); }

// CHECK-LABEL: define {{.*}}@positive_comparison(
// CHECK-NOT: asm
// CHECK: fcmp {{.*}}ogt half
F bool positive_comparison(const __half *x) { return x[0] > x[1]; }

// CHECK-LABEL: define {{.*}}@positive_bfloat16(
// CHECK-NOT: asm
// CHECK: fmul {{.*}}bfloat
// CHECK: call {{.*}}float @kernix.tanh.f32(float
// CHECK: fptrunc {{.*}} to bfloat
F void positive_bfloat16(__nv_bfloat16 *y, const __nv_bfloat16 *x) { y[0] = htanh(x[0] * x[1]); }

// CHECK-LABEL: define {{.*}}@positive_bfloat16_pair(
// CHECK-NOT: asm
// CHECK: fptrunc {{.*}}float %{{.*}} to bfloat
// CHECK: fptrunc {{.*}}float %{{.*}} to bfloat
F void positive_bfloat16_pair(__nv_bfloat162 *y, float a, float b) { y[0] = __floats2bfloat162_rn(a, b); }

// Rounded in another direction: the caller refuses the assembly.
// CHECK-LABEL: define {{.*}}@negative_rounding(
// CUDA: asm {{.*}}cvt.rz.f16.f32
// CPU-NOT: fptrunc
// CHECK: ret void
F void negative_rounding(__half *y, float x) { y[0] = __float2half_rz(x); }
