; Atomics on one address, in loops over threads.
; RUN: %opt -passes=kernix-cpu-parallel -S %s | FileCheck %s

; CHECK-LABEL: define void @sum
; CHECK: loop:
; CHECK: %[[SUM:.*]] = phi float [ -0.000000e+00, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[NEXT]] = fadd reassoc float %[[SUM]],
; CHECK-NOT: atomicrmw
; CHECK: br i1 %more, label %loop
; CHECK: icmp ne i32
; CHECK: atomicrmw fadd ptr %sum, float
define void @sum(ptr %x, ptr %sum, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds float, ptr %x, i32 %i
  %v = load float, ptr %at
  %old = atomicrmw fadd ptr %sum, float %v monotonic, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

; The thread may see its own atomic.
; CHECK-LABEL: define void @looks
; CHECK: loop:
; CHECK: atomicrmw
; CHECK: br i1 %more
define void @looks(ptr %x, ptr %sum, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds float, ptr %x, i32 %i
  %old = atomicrmw fadd ptr %sum, float 1.0 monotonic, align 4
  %v = load float, ptr %at
  store float %v, ptr %at
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret void
}

; A fence, a result, an order, another address for each thread.
; CHECK-LABEL: define i32 @others
; CHECK: loop:
; CHECK-COUNT-4: atomicrmw
; CHECK: br i1 %more
define i32 @others(ptr %x, ptr noalias %sum, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  %a = atomicrmw add ptr %sum, i32 1 monotonic, align 4
  %b = atomicrmw add ptr %at, i32 %a monotonic, align 4
  %c = atomicrmw add ptr %sum, i32 1 acq_rel, align 4
  %d = atomicrmw xchg ptr %sum, i32 1 monotonic, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  ret i32 0
}

!0 = distinct !{!0, !1}
!1 = !{!"kernix.thread.loop"}
