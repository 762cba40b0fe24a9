; A chain of values that all iterations share, each used twice, keeps the vectoriser from the loop; one that begins with
; an iteration's own value does not.
; RUN: %opt -passes=kernix-cpu-vectorizer-guard -S %s | FileCheck %s

; CHECK-LABEL: define void @shared(
; CHECK: br i1 {{.*}}, !llvm.loop [[GUARD:![0-9]+]]
define void @shared(ptr %x, ptr %y, ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr double, ptr %x, i64 %i
  %x.i = load double, ptr %at
  %c = fcmp ogt double %x.i, 0.0
  br i1 %c, label %then, label %latch
then:
  %w = load double, ptr %p
  %v0 = fmul double %w, %w
  %v1 = fmul double %v0, %v0
  %v2 = fmul double %v1, %v1
  %v3 = fmul double %v2, %v2
  %v4 = fmul double %v3, %v3
  %v5 = fmul double %v4, %v4
  %v6 = fmul double %v5, %v5
  %v7 = fmul double %v6, %v6
  %v8 = fmul double %v7, %v7
  %v9 = fmul double %v8, %v8
  %v10 = fmul double %v9, %v9
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, %v11
  %v13 = fmul double %v12, %v12
  %v14 = fmul double %v13, %v13
  %v15 = fmul double %v14, %v14
  %v16 = fmul double %v15, %v15
  %v17 = fmul double %v16, %v16
  %v18 = fmul double %v17, %v17
  %v19 = fmul double %v18, %v18
  %v20 = fmul double %v19, %v19
  %v21 = fmul double %v20, %v20
  %v22 = fmul double %v21, %v21
  %v23 = fmul double %v22, %v22
  %v24 = fmul double %v23, %v23
  %v25 = fmul double %v24, %v24
  %v26 = fmul double %v25, %v25
  %v27 = fmul double %v26, %v26
  %v28 = fmul double %v27, %v27
  %v29 = fmul double %v28, %v28
  %to = getelementptr double, ptr %y, i64 %i
  store double %v29, ptr %to
  br label %latch
latch:
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; CHECK-LABEL: define void @own(
; CHECK-NOT: !llvm.loop
; CHECK: ret void
define void @own(ptr %x, ptr %y, ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr double, ptr %x, i64 %i
  %x.i = load double, ptr %at
  %c = fcmp ogt double %x.i, 0.0
  br i1 %c, label %then, label %latch
then:
  %w = load double, ptr %p
  %v0 = fmul double %x.i, %x.i
  %v1 = fmul double %v0, %v0
  %v2 = fmul double %v1, %v1
  %v3 = fmul double %v2, %v2
  %v4 = fmul double %v3, %v3
  %v5 = fmul double %v4, %v4
  %v6 = fmul double %v5, %v5
  %v7 = fmul double %v6, %v6
  %v8 = fmul double %v7, %v7
  %v9 = fmul double %v8, %v8
  %v10 = fmul double %v9, %v9
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, %v11
  %v13 = fmul double %v12, %v12
  %v14 = fmul double %v13, %v13
  %v15 = fmul double %v14, %v14
  %v16 = fmul double %v15, %v15
  %v17 = fmul double %v16, %v16
  %v18 = fmul double %v17, %v17
  %v19 = fmul double %v18, %v18
  %v20 = fmul double %v19, %v19
  %v21 = fmul double %v20, %v20
  %v22 = fmul double %v21, %v21
  %v23 = fmul double %v22, %v22
  %v24 = fmul double %v23, %v23
  %v25 = fmul double %v24, %v24
  %v26 = fmul double %v25, %v25
  %v27 = fmul double %v26, %v26
  %v28 = fmul double %v27, %v27
  %v29 = fmul double %v28, %v28
  %to = getelementptr double, ptr %y, i64 %i
  store double %v29, ptr %to
  br label %latch
latch:
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}


; Threads that touch elements far apart: nine floats of each, and two.
; CHECK-LABEL: define void @far(
; CHECK: br i1 {{.*}}, !llvm.loop [[FAR:![0-9]+]]
define void @far(ptr %x, ptr %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul i64 %i, 36
  %p = getelementptr i8, ptr %x, i64 %k
  %q = getelementptr i8, ptr %y, i64 %k
  %v = load float, ptr %p
  store float %v, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !100
exit:
  ret void
}
; CHECK-LABEL: define void @near(
; CHECK: br i1 {{.*}}, !llvm.loop [[NEAR:![0-9]+]]
define void @near(ptr %x, ptr %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul i64 %i, 8
  %p = getelementptr i8, ptr %x, i64 %k
  %q = getelementptr i8, ptr %y, i64 %k
  %v = load float, ptr %p
  store float %v, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !101
exit:
  ret void
}
!100 = distinct !{!100, !102}
!101 = distinct !{!101, !102}
!102 = !{!"kernix.thread.loop"}
; CHECK-DAG: [[GUARD]] = distinct !{[[GUARD]], [[OFF:![0-9]+]]}
; CHECK-DAG: [[FAR]] = distinct !{[[FAR]], [[MARK:![0-9]+]], [[OFF]]}
; CHECK-DAG: [[OFF]] = !{!"llvm.loop.vectorize.enable", i32 0}
; CHECK-DAG: [[NEAR]] = distinct !{[[NEAR]], [[MARK]]}
