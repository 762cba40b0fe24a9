; The sine and the cosine of one number are one call, where one of them comes first on every path to the other.
; REQUIRES: cuda
; RUN: env KERNIX_TEST_LIBDEVICE=%libdevice %opt -load-pass-plugin=%plugin -passes=kernix-lower,verify -S %s | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @kernix.sin.f32(float)
declare float @kernix.cos.f32(float)
declare float @kernix.fast.sin.f32(float)
declare double @kernix.sinpi.f64(double)
declare double @kernix.cospi.f64(double)

; CHECK-LABEL: define float @positive_block(
; CHECK: call void @__nv_sincosf(float %x, ptr [[S:%[0-9]+]], ptr [[C:%[0-9]+]])
; CHECK-NEXT: [[SINE:%[0-9]+]] = load float, ptr [[S]]
; CHECK-NEXT: [[COSINE:%[0-9]+]] = load float, ptr [[C]]
; CHECK-NEXT: fmul float [[COSINE]], [[SINE]]
; CHECK-NEXT: fmul float %p, [[COSINE]]
define float @positive_block(float %x) {
  %c = call float @kernix.cos.f32(float %x)
  %s = call float @kernix.sin.f32(float %x)
  %p = fmul float %c, %s
  %again = call float @kernix.cos.f32(float %x)
  %q = fmul float %p, %again
  ret float %q
}

; CHECK-LABEL: define double @positive_branch(
; CHECK: call void @__nv_sincospi(double %x
; CHECK-NOT: call
; CHECK: ret double
define double @positive_branch(double %x, i1 %b) {
  %s = call double @kernix.sinpi.f64(double %x)
  br i1 %b, label %then, label %end
then:
  %c = call double @kernix.cospi.f64(double %x)
  br label %end
end:
  %r = phi double [ %s, %0 ], [ %c, %then ]
  ret double %r
}

; Neither comes before the other.
; CHECK-LABEL: define float @negative_sides(
; CHECK: call float @__nv_sinf(float %x)
; CHECK: call float @__nv_cosf(float %x)
; CHECK: ret float
define float @negative_sides(float %x, i1 %b) {
  br i1 %b, label %then, label %else
then:
  %s = call float @kernix.sin.f32(float %x)
  br label %end
else:
  %c = call float @kernix.cos.f32(float %x)
  br label %end
end:
  %r = phi float [ %s, %then ], [ %c, %else ]
  ret float %r
}

; Of two numbers; of less precision.
; CHECK-LABEL: define float @negative_others(
; CHECK: call float @__nv_sinf(float %x)
; CHECK: call float @__nv_cosf(float %y)
; CHECK: call float @__nv_fast_sinf(float %y)
; CHECK: ret float
define float @negative_others(float %x, float %y) {
  %s = call float @kernix.sin.f32(float %x)
  %c = call float @kernix.cos.f32(float %y)
  %f = call float @kernix.fast.sin.f32(float %y)
  %a = fadd float %s, %c
  %b = fadd float %a, %f
  ret float %b
}
