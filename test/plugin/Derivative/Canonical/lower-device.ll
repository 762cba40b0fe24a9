; Canonical functions become libdevice's, which are linked on demand, internal and for the same processor.
; REQUIRES: cuda
; RUN: env KERNIX_TEST_LIBDEVICE=%libdevice %opt -load-pass-plugin=%plugin -passes=kernix-lower,verify -S %s | FileCheck %s
; RUN: not %opt -load-pass-plugin=%plugin -passes=kernix-lower -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: not env KERNIX_TEST_LIBDEVICE=%t.missing %opt -load-pass-plugin=%plugin -passes=kernix-lower -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; NONE: error: the derivative needs CUDA's libdevice, which this compilation does not use (-nocudalib)
; MISSING: error: cannot read libdevice: {{.*}} ({{.*}}.missing)

; CHECK-LABEL: define float @positive(
; CHECK: call contract float @__nv_cosf(float %x)
; CHECK: call contract float @__nv_fast_expf(float
; CHECK: call contract float @kernix_library_digamma_f32(float
; CHECK: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define float @positive(float %x) #0 {
  %a = call contract float @kernix.cos.f32(float %x)
  %b = call contract float @kernix.fast.exp.f32(float %a)
  %c = call contract float @kernix.digamma.f32(float %b)
  %d = call i32 @kernix.block_dim.x()
  %e = uitofp i32 %d to float
  %f = fadd float %c, %e
  ret float %f
}

; Already there: not linked a second time.
; CHECK: define internal double @__nv_exp(double %x)
; CHECK-NEXT: ret double 1.0
define internal double @__nv_exp(double %x) {
  ret double 1.0
}
define double @positive_present(double %x) {
  %y = call double @kernix.exp.f64(double %x)
  ret double %y
}

; Unused ones do not come in, what they ask of the compilation is answered.
; CHECK-NOT: define {{.*}}@__nv_tanf(
; CHECK-NOT: __nvvm_reflect
; CHECK: define internal {{.*}}@kernix_library_digamma_f32({{.*}} [[ATTRIBUTES:#[0-9]+]]
; CHECK: define internal float @__nv_cosf(
; CHECK-NOT: kernix.
; CHECK: attributes [[ATTRIBUTES]] = {{{.*}}"target-cpu"="sm_90" "target-features"="+ptx80"

declare float @kernix.cos.f32(float)
declare float @kernix.fast.exp.f32(float)
declare float @kernix.digamma.f32(float)
declare double @kernix.exp.f64(double)
declare i32 @kernix.block_dim.x()
attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx80" }
