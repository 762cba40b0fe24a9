; Atomics on shared memory, and those of a kernel that is alone: one host thread runs the whole block.
; RUN: %opt -passes=kernix-cpu-block-atomics -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@kernix_cpu_current_state = external thread_local(initialexec) global [80 x i8]

; CHECK-LABEL: define void @shared(
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: fadd float
; CHECK: select
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @shared(i64 %i, float %v, i1 %c) {
  %state = call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
  %field = getelementptr i8, ptr %state, i64 56
  %static = load ptr, ptr %field, !invariant.load !0
  %next = getelementptr i8, ptr %state, i64 64
  %dynamic = load ptr, ptr %next, !invariant.load !0
  %p = getelementptr float, ptr %static, i64 %i
  %old = atomicrmw fadd ptr %p, float %v monotonic, align 4
  %either = select i1 %c, ptr %dynamic, ptr %p
  %swap = cmpxchg ptr %either, i32 1, i32 2 monotonic monotonic
  ret void
}

; Atomic for one host thread alone, wherever it is.
; CHECK-LABEL: define void @alone(
; CHECK-NOT: atomicrmw
; CHECK: fadd float
; CHECK: ret void
define void @alone(ptr %x, float %v) {
  %old = atomicrmw fadd ptr %x, float %v syncscope("singlethread") monotonic, align 4
  ret void
}

; Memory of all blocks, or perhaps.
; CHECK-LABEL: define void @global(
; CHECK: atomicrmw fadd ptr %x
; CHECK: atomicrmw fadd ptr %either
; CHECK: atomicrmw fadd ptr %frame
define void @global(ptr %x, float %v, i1 %c) {
  %state = call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
  %field = getelementptr i8, ptr %state, i64 56
  %static = load ptr, ptr %field, !invariant.load !0
  %other = getelementptr i8, ptr %state, i64 72
  %frame = load ptr, ptr %other, !invariant.load !0
  %a = atomicrmw fadd ptr %x, float %v monotonic, align 4
  %either = select i1 %c, ptr %static, ptr %x
  %b = atomicrmw fadd ptr %either, float %v monotonic, align 4
  %d = atomicrmw fadd ptr %frame, float %v monotonic, align 4
  ret void
}
!0 = !{}
