; Additions that only one host thread makes: many threads of the loop at once, if no addition brings two of them together.
; RUN: %opt -passes='function(kernix-cpu-parallel),verify' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; x[i - 1], x[i], x[i + 1]: neighbours, one addition after the other.
; CHECK-LABEL: @neighbours(
; CHECK-NOT: atomicrmw
; CHECK-COUNT-3: store float {{.*}}, !llvm.access.group
; CHECK-LABEL: define
define void @neighbours(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %l = getelementptr i8, ptr %p, i64 -4
  %r = getelementptr i8, ptr %p, i64 4
  %a = atomicrmw fadd ptr %l, float %v syncscope("singlethread") monotonic, align 4
  %b = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %c = atomicrmw fadd ptr %r, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; An index of 32 bits may wrap, but does not come back.
; CHECK-LABEL: @narrow_index(
; CHECK-NOT: atomicrmw
; CHECK: store float {{.*}}, !llvm.access.group
; CHECK-LABEL: define
define void @narrow_index(ptr %x, float %v, i32 %base, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %t = trunc i64 %i to i32
  %k = add i32 %base, %t
  %w = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %w
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Parts of one element, and elements of their own.
; CHECK-LABEL: @parts(
; CHECK-NOT: atomicrmw
; CHECK-COUNT-2: store float {{.*}}, !llvm.access.group
; CHECK-LABEL: define
define void @parts(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 3
  %p = getelementptr float, ptr %x, i64 %k
  %q = getelementptr i8, ptr %p, i64 8
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %b = atomicrmw fadd ptr %q, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; A block's own memory needs no such version.
; CHECK-LABEL: @shared(
; CHECK-NOT: atomicrmw
; CHECK: store float {{.*}}, !llvm.access.group
; CHECK-LABEL: define
define void @shared(float %v, i64 %n) {
entry:
  %state = call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
  %field = getelementptr i8, ptr %state, i64 56
  %static = load ptr, ptr %field, !invariant.load !2
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %static, i64 %i
  %a = atomicrmw fadd ptr %p, float %v monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

; Two floats of each thread, the second that of the next one too: the vectoriser would join and move them.
; CHECK-LABEL: @into_the_next_element(
; CHECK-COUNT-3: atomicrmw
; CHECK-NOT: access.group
; CHECK-LABEL: define
define void @into_the_next_element(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr float, ptr %x, i64 %k
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 4
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %b = atomicrmw fadd ptr %q, float %v syncscope("singlethread") monotonic, align 4
  %c = atomicrmw fadd ptr %r, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; The same, twice.
; CHECK-LABEL: @twice(
; CHECK-COUNT-2: atomicrmw
; CHECK-LABEL: define
define void @twice(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr float, ptr %x, i64 %k
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %b = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Strided additions to what may be the memory of others.
; CHECK-LABEL: @two_arrays(
; CHECK-COUNT-2: atomicrmw
; CHECK-LABEL: define
define void @two_arrays(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul nuw nsw i64 %i, 2
  %p = getelementptr float, ptr %x, i64 %k
  %q = getelementptr float, ptr %y, i64 %i
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %b = atomicrmw fadd ptr %q, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Any element.
; CHECK-LABEL: @scattered(
; CHECK: atomicrmw
; CHECK-LABEL: define
define void @scattered(ptr %x, ptr %index, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %index, i64 %i
  %k = load i64, ptr %at
  %p = getelementptr float, ptr %x, i64 %k
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Half an element on.
; CHECK-LABEL: @overlapping(
; CHECK: atomicrmw
; CHECK-LABEL: define
define void @overlapping(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i16, ptr %x, i64 %i
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Other host threads may add as well.
; CHECK-LABEL: @global(
; CHECK: atomicrmw
; CHECK-LABEL: define
define void @global(ptr %x, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %a = atomicrmw fadd ptr %p, float %v monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; Somebody asks what was there.
; CHECK-LABEL: @asked(
; CHECK: atomicrmw
; CHECK: ret void
define void @asked(ptr %x, ptr %y, float %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %a = atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %a, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
@kernix_cpu_current_state = external thread_local(initialexec) global [80 x i8]
!0 = distinct !{!0, !1}
!1 = !{!"kernix.thread.loop"}
!2 = !{}
