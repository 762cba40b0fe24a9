; Rounding to bfloat16 is a call of a function that libgcc has since version 13, where the processor has no instruction
; for it: both passes bring it along.
; RUN: %opt -passes='kernix-cpu-host<unit=u>' %s | FileCheck %s
; RUN: %opt -passes='kernix-cpu-device<unit=u>' %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; CHECK: define weak_odr hidden {{(noundef )?}}bfloat @__truncsfbf2(float
define bfloat @rounded(float %x) {
  %r = fptrunc float %x to bfloat
  ret bfloat %r
}
