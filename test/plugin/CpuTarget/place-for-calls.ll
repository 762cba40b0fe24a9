; A function that stays a call finds threadIdx and blockIdx in thread-local storage: written just before the call.
; RUN: %opt -passes='kernix-cpu-device<unit=u>' %s | FileCheck %s
; RUN: %opt -passes='kernix-cpu-device<unit=u>,default<O2>,function(kernix-cpu-parallel)' %s | FileCheck %s --check-prefix=O2
target triple = "x86_64-pc-linux-gnu"

; CHECK: define internal i32 @recursive(i32 %n)
; CHECK: call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
; CHECK: load i32
define i32 @recursive(i32 %n) {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %done, label %more
done:
  %t = call i32 @kernix_cpu_thread_idx_x()
  ret i32 %t
more:
  %m = sub i32 %n, 1
  %r = call i32 @recursive(i32 %m)
  %s = add i32 %r, 1
  ret i32 %s
}
; CHECK: define internal i32 @pure(i32 %n)
define i32 @pure(i32 %n) noinline {
  ret i32 %n
}
define void @reads(ptr %x, i32 %n) "uniform-work-group-size"="true" {
  %r = call i32 @recursive(i32 %n)
  store i32 %r, ptr %x
  ret void
}
define void @reads_not(ptr %x, i32 %n) "uniform-work-group-size"="true" {
  %r = call i32 @pure(i32 %n)
  store i32 %r, ptr %x
  ret void
}
; CHECK: define internal void @reads.blocks(
; CHECK: thread.x:
; CHECK-COUNT-6: store i32
; CHECK-NEXT: call i32 @recursive
; CHECK: define internal void @reads_not.blocks(
; CHECK-NOT: store i32 %{{.*}}, ptr %{{.*}}, i32
; CHECK: call i32 @pure

; Inlined later, these stores and loads are still not independent from one thread to the next.
; O2-NOT: parallel_accesses
declare i32 @kernix_cpu_thread_idx_x() memory(none)
