; Loops in which the vectoriser would move an access across another of the same thread are not called parallel.
; RUN: %opt -passes='function(kernix-cpu-parallel),verify' %s | FileCheck %s
; RUN: %opt -passes='function(kernix-cpu-parallel,loop-vectorize)' -force-vector-width=4 -force-vector-interleave=1 -enable-interleaved-mem-accesses %s | FileCheck %s --check-prefix=VECTOR
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; x[2 * i] is read again before x[2 * i + 1] is written. Joined stores would come after the load.
; CHECK-LABEL: @read_again(
; CHECK-NOT: access.group
; CHECK-LABEL: define
; VECTOR-LABEL: @read_again(
; VECTOR-NOT: interleaved.vec
; VECTOR-LABEL: define
define void @read_again(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr inbounds float, ptr %x, i64 %k
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  %q = getelementptr inbounds float, ptr %y, i64 %i
  store float %v, ptr %p
  store float 1.0, ptr %q
  %b = load float, ptr %p
  store float %b, ptr %q
  store float 3.0, ptr %p1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Consecutive elements stay in their order.
; CHECK-LABEL: @consecutive(
; CHECK-COUNT-4: !llvm.access.group
; CHECK-LABEL: define
define void @consecutive(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %x, i64 %i
  %q = getelementptr inbounds float, ptr %y, i64 %i
  store float %v, ptr %p
  store float 1.0, ptr %q
  %b = load float, ptr %p
  store float %b, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; What is read first may be moved up, what is written last down.
; CHECK-LABEL: @read_then_written(
; CHECK-COUNT-4: !llvm.access.group
; CHECK-LABEL: define
; VECTOR-LABEL: @read_then_written(
; VECTOR: interleaved.vec
; VECTOR-LABEL: define
define void @read_then_written(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr inbounds float, ptr %x, i64 %k
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  %q = getelementptr inbounds float, ptr %y, i64 %i
  %a = load float, ptr %p
  %b = load float, ptr %p1
  store float %b, ptr %p
  store float %a, ptr %p1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; y may be x, and x[2 * i] what was written before.
; CHECK-LABEL: @perhaps_the_same(
; CHECK-NOT: access.group
; CHECK-LABEL: define
define void @perhaps_the_same(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr inbounds float, ptr %x, i64 %k
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  %q = getelementptr inbounds float, ptr %y, i64 %i
  store float %v, ptr %q
  %a = load float, ptr %p
  %b = load float, ptr %p1
  %c = fadd float %a, %b
  store float %c, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Here it is not.
; CHECK-LABEL: @not_the_same(
; CHECK-COUNT-4: !llvm.access.group
; CHECK: ret void
; VECTOR-LABEL: @not_the_same(
define void @not_the_same(ptr noalias %x, ptr noalias %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr inbounds float, ptr %x, i64 %k
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  %q = getelementptr inbounds float, ptr %y, i64 %i
  store float %v, ptr %q
  %a = load float, ptr %p
  %b = load float, ptr %p1
  %c = fadd float %a, %b
  store float %c, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"kernix.thread.loop"}
