; A host object without kernels and device variables registers nothing.
; RUN: %opt -passes='kernix-cpu-host<unit=u>' %s | FileCheck %s --implicit-check-not=kernix_cpu_register
; CHECK: define void @f()
target triple = "x86_64-pc-linux-gnu"
define void @f() {
  ret void
}
