; A thread loop that begins with guards gets a copy over the threads that pass them.
; RUN: %opt -passes='function(kernix-cpu-parallel),verify' %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; i = base + t; if (i < n && j < m) x[i] = 1
; CHECK-LABEL: @guarded(
; CHECK: %[[END:.*]] = add i64 %[[START:.*]], %
; CHECK: call i64 @llvm.ssub.sat.i64(
; CHECK: call i64 @llvm.smin.i64(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}
; The copy asks nothing; the loop that asks remains.
; CHECK: header.working:
; CHECK: br label %body.working
; CHECK: header:
; CHECK: icmp slt i32 %i, %n
define void @guarded(ptr %x, i32 %base, i32 %n, i32 %count, i1 %row) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  %both = and i1 %c, %row
  br i1 %both, label %body, label %latch
body:
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  ret void
}

; An index of 32 bits that goes into an address: whether it wraps is found out before the loop, where the copy then
; counts in 64 bits.
; CHECK-LABEL: @narrow_index(
; CHECK: %[[START:.*]] = sext i32 %{{.*}} to i64
; CHECK: %[[END:.*]] = add i64 %[[START]], %
; CHECK: %[[LOW:.*]] = trunc i64 %[[END]] to i32
; CHECK: %[[AGAIN:.*]] = sext i32 %[[LOW]] to i64
; CHECK: icmp eq i64 %[[AGAIN]], %[[END]]
; CHECK: header.working:
; CHECK-NOT: sext
; CHECK: mul nsw i64 %{{.*}}, 3
; CHECK: br i1
define void @narrow_index(ptr %x, i32 %base, i32 %count) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %header ]
  %i = add i32 %base, %t
  %k = mul i32 %i, 3
  %w = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %w
  store float 1.0, ptr %p, align 4
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  ret void
}

; Every thread does something before the guard, or behind it.
; CHECK-LABEL: @work_before(
; CHECK-NOT: working
define void @work_before(ptr %x, i32 %n, i32 %count) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr float, ptr %x, i32 %t
  store float 2.0, ptr %q, align 4
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %latch
body:
  store float 1.0, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK-LABEL: @work_behind(
; CHECK-NOT: working
define void @work_behind(ptr %x, i32 %n, i32 %count) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr float, ptr %x, i32 %t
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %latch
body:
  store float 1.0, ptr %q, align 4
  br label %latch
latch:
  %q2 = getelementptr float, ptr %x, i32 %t
  store float 2.0, ptr %q2, align 4
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  ret void
}
; Not monotonous.
; CHECK-LABEL: @even(
; CHECK-NOT: working
define void @even(ptr %x, i32 %n, i32 %count) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr float, ptr %x, i32 %t
  %bit = and i32 %t, 1
  %c = icmp slt i32 %bit, %n
  br i1 %c, label %body, label %latch
body:
  store float 1.0, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  ret void
}
; What comes after the loop asks what its last iteration has seen: the copy, which may have none, could not say.
; CHECK-LABEL: @asked_afterwards(
; CHECK-NOT: working
; CHECK: ret void
define void @asked_afterwards(ptr %x, i32 %base, i32 %n, i32 %count, i1 %row) {
entry:
  br label %header
header:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %latch
body:
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %last = phi i1 [ %row, %header ], [ true, %body ]
  %next = add nuw nsw i32 %t, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %header, label %exit, !llvm.loop !0
exit:
  br i1 %last, label %again, label %done
again:
  store float 2.0, ptr %x, align 4
  br label %done
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"kernix.thread.loop"}
