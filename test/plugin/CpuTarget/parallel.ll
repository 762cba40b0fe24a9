; What is told to the vectoriser, and where nothing may be told.
; RUN: %opt -passes='function(kernix-cpu-parallel)' %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
@kernix_cpu_current_state = external thread_local(initialexec) global [20 x i32]

; CHECK-LABEL: @marked
; CHECK: load float, ptr %p, align 4, !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: store float %v, ptr %q, align 4, !llvm.access.group ![[GROUP]]
; CHECK: !llvm.loop ![[LOOP:[0-9]+]]
define void @marked(ptr %x, ptr %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK-LABEL: @unmarked
; CHECK-NOT: access.group
define void @unmarked(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !2
exit:
  ret void
}
; The mark has come to a loop that does not count threads.
; CHECK-LABEL: @other_step
; CHECK-NOT: access.group
define void @other_step(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p, align 4
  %next = add nuw i64 %i, 2
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK-LABEL: @stack
; CHECK-NOT: access.group
define void @stack(ptr %x, i64 %n) {
entry:
  %slot = alloca float
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store float 1.0, ptr %slot, align 4
  %v = load float, ptr %slot, align 4
  %p = getelementptr float, ptr %x, i64 %i
  store float %v, ptr %p, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; A loaded pointer may be the address of the slot.
; CHECK-LABEL: @escaped
; CHECK-NOT: access.group
define void @escaped(ptr %x, ptr %hold, i64 %n) {
entry:
  %slot = alloca float
  store ptr %slot, ptr %hold
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = load ptr, ptr %x
  store float 1.0, ptr %p, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK-LABEL: @atomic
; CHECK-NOT: access.group
define void @atomic(ptr %x, ptr %sum, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %sum, i32 1 monotonic
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 %old, ptr %p, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK-LABEL: @place
; CHECK-NOT: access.group
define void @place(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
  %t = trunc i64 %i to i32
  store i32 %t, ptr %s, align 4
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 1, ptr %p, align 4
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}
; CHECK: ![[GROUP]] = distinct !{}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], !{{[0-9]+}}, ![[PARALLEL:[0-9]+]]}
; CHECK: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[GROUP]]}
declare ptr @llvm.threadlocal.address.p0(ptr)
!0 = distinct !{!0, !1}
!1 = !{!"kernix.thread.loop"}
!2 = distinct !{!2}
