; Kernels whose only atomics are additions to gradients have a second version, in which they are for one thread alone.
; RUN: %opt -passes='kernix-cpu-device<unit=u1>' %s | FileCheck %s
; RUN: %opt -passes='kernix-cpu-device<unit=u1>,function(kernix-cpu-block-atomics)' %s | FileCheck %s --check-prefix=PLAIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: @__kernix_cpu_kernel.u1.gradient = {{.*}} i32 1, i32 0, ptr @gradient.run_blocks, ptr @gradient.run_alone, ptr null }
; Other atomics, results that are asked for, other orders, fences, volatile accesses, functions that have any of it.
; CHECK-DAG: @__kernix_cpu_kernel.u1.of_user = {{.*}} i32 1, i32 0, ptr @of_user.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.asks = {{.*}} i32 1, i32 0, ptr @asks.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.ordered = {{.*}} i32 1, i32 0, ptr @ordered.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.fenced = {{.*}} i32 1, i32 0, ptr @fenced.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.looks = {{.*}} i32 1, i32 0, ptr @looks.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.calls = {{.*}} i32 1, i32 0, ptr @calls.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u1.nothing = {{.*}} i32 0, i32 0, ptr @nothing.run_blocks, ptr null, ptr null }

; CHECK-LABEL: define internal void @gradient.blocks(
; CHECK: atomicrmw fadd ptr %{{.*}}, float 1.000000e+00 monotonic
; PLAIN-LABEL: define internal void @gradient.blocks(
; PLAIN: atomicrmw fadd
define void @gradient(ptr %x, ptr %index) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x()
  %at = getelementptr i32, ptr %index, i32 %t
  %i = load i32, ptr %at
  %p = getelementptr float, ptr %x, i32 %i
  %old = atomicrmw fadd ptr %p, float 1.0 monotonic, align 4, !kernix.gradient !0
  ret void
}
define void @of_user(ptr %x) #0 {
  %a = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4, !kernix.gradient !0
  %b = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4
  ret void
}
define void @asks(ptr %x, ptr %y) #0 {
  %old = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4, !kernix.gradient !0
  store float %old, ptr %y
  ret void
}
define void @ordered(ptr %x) #0 {
  %old = atomicrmw fadd ptr %x, float 1.0 acq_rel, align 4, !kernix.gradient !0
  ret void
}
define void @fenced(ptr %x) #0 {
  %old = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4, !kernix.gradient !0
  fence seq_cst
  ret void
}
define void @looks(ptr %x, ptr %y) #0 {
  %old = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4, !kernix.gradient !0
  %v = load volatile float, ptr %y
  ret void
}
define void @calls(ptr %x) #0 {
  %old = atomicrmw fadd ptr %x, float 1.0 monotonic, align 4, !kernix.gradient !0
  call void @adds(ptr %x)
  ret void
}
define void @adds(ptr %x) noinline {
  %old = atomicrmw add ptr %x, i32 1 monotonic, align 4
  ret void
}
define void @nothing(ptr %x) #0 {
  store float 1.0, ptr %x
  ret void
}

; CHECK-LABEL: define internal void @gradient.blocks.alone(
; CHECK: atomicrmw fadd ptr %{{.*}}, float 1.000000e+00 syncscope("singlethread") monotonic
; PLAIN-LABEL: define internal void @gradient.blocks.alone(
; PLAIN-NOT: atomicrmw
; PLAIN: fadd float
declare i32 @kernix_cpu_thread_idx_x()
attributes #0 = { "uniform-work-group-size" }
!0 = !{}
