; A load that threads come to under a condition stays before the stores that follow it, when the loop over the threads is
; vectorised: a freeze keeps its value apart from the select that joins the ways.
; RUN: %opt -passes=kernix-cpu-conditional-loads %s | FileCheck %s
; RUN: %opt -passes='kernix-cpu-conditional-loads,loop-vectorize,instcombine' -force-vector-width=4 -force-vector-interleave=1 -mattr=+avx2 %s \
; RUN:   | FileCheck %s --check-prefix=VECTOR
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @taken(
; CHECK: %old = load double, ptr %at
; CHECK-NEXT: %[[OLD:.*]] = freeze double %old
; CHECK-NEXT: store double 0.000000e+00, ptr %at
; CHECK: phi double [ %[[OLD]], %then ], [ -0.000000e+00, %loop ]
; VECTOR-LABEL: define void @taken(
; VECTOR: call <4 x double> @llvm.masked.load
; VECTOR: call void @llvm.masked.store
; VECTOR-NOT: @llvm.masked.load
; VECTOR: ret void
define void @taken(ptr noalias %shared, ptr noalias %frame, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %works = icmp ult i64 %i, 8
  br i1 %works, label %then, label %latch
then:
  %at = getelementptr double, ptr %shared, i64 %i
  %old = load double, ptr %at
  store double 0.0, ptr %at
  br label %latch
latch:
  %value = phi double [ %old, %then ], [ -0.0, %loop ]
  %slot = getelementptr double, ptr %frame, i64 %i
  store double %value, ptr %slot
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

; Nothing that the loop stores is where this reads.
; CHECK-LABEL: define void @only_read(
; CHECK-NOT: freeze
; CHECK: ret void
define void @only_read(ptr noalias %x, ptr noalias %frame, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %works = icmp ult i64 %i, 8
  br i1 %works, label %then, label %latch
then:
  %at = getelementptr double, ptr %x, i64 %i
  %old = load double, ptr %at
  br label %latch
latch:
  %value = phi double [ %old, %then ], [ -0.0, %loop ]
  %slot = getelementptr double, ptr %frame, i64 %i
  store double %value, ptr %slot
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

; All iterations come to this load.
; CHECK-LABEL: define void @unconditional(
; CHECK-NOT: freeze
; CHECK: ret void
define void @unconditional(ptr noalias %x, ptr noalias %frame, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr double, ptr %x, i64 %i
  %old = load double, ptr %at
  %works = icmp ult i64 %i, 8
  br i1 %works, label %then, label %latch
then:
  store double 0.0, ptr %at
  br label %latch
latch:
  %value = phi double [ %old, %then ], [ -0.0, %loop ]
  %slot = getelementptr double, ptr %frame, i64 %i
  store double %value, ptr %slot
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
