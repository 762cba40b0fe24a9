; A module that asks for nothing stays as it is, libdevice or not.
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-lower -S %s -o %t.lowered.ll
; RUN: %opt -passes= -S %s -o %t.ll
; RUN: grep -v ModuleID %t.ll > %t.a && grep -v ModuleID %t.lowered.ll > %t.b && diff %t.a %t.b
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @__nv_tanf(float)

define float @f(float %x) {
  %y = fmul float %x, 2.0
  ret float %y
}
