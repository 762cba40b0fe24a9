; On a CPU: LLVM's intrinsics, the C library without errno, and kernix's own functions.
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-lower,verify -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define float @positive(
; CHECK: call contract float @llvm.cos.f32(float %x)
; CHECK: call contract float @erff(float {{.*}}) [[PURE:#[0-9]+]]
; CHECK: [[ROOT:%.*]] = call contract float @llvm.sqrt.f32(
; CHECK: fdiv contract float 1.000000e+00, [[ROOT]]
; CHECK: call i32 @kernix_cpu_thread_idx_y()
define float @positive(float %x) {
  %a = call contract float @kernix.cos.f32(float %x)
  %b = call contract float @kernix.erf.f32(float %a)
  %c = call contract float @kernix.rsqrt.f32(float %b)
  %d = call i32 @kernix.thread_idx.y()
  %e = uitofp i32 %d to float
  %f = fadd float %c, %e
  ret float %f
}

; The library's own calls are lowered too.
; CHECK-LABEL: define double @positive_library(
; CHECK: call double @kernix_library_digamma_f64(double
; CHECK: define internal {{.*}}double @kernix_library_digamma_f64(
; CHECK: call {{.*}}double @llvm.log.f64(
; CHECK-NOT: @kernix.
; CHECK: attributes [[PURE]] = { nounwind memory(none) }
define double @positive_library(double %x) {
  %y = call double @kernix.digamma.f64(double %x)
  ret double %y
}

declare float @kernix.cos.f32(float)
declare float @kernix.erf.f32(float)
declare float @kernix.rsqrt.f32(float)
declare double @kernix.digamma.f64(double)
declare i32 @kernix.thread_idx.y()
