; On ways that all end in a trap threads part as on others: none of their branches is taken for one of the whole block.
; RUN: %opt -passes='kernix-cpu-device<unit=u>,verify' %s | FileCheck --implicit-check-not='br i1 poison' %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define internal void @ends.blocks(
; CHECK: call void @llvm.trap()
define void @ends(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %first = icmp ult i32 %t, 16
  br i1 %first, label %store, label %join

store:
  %p = getelementptr i64, ptr %x, i32 %t
  store i64 0, ptr %p
  br label %join

join:
  call void @kernix_cpu_barrier() #2
  call void @llvm.trap()
  unreachable
}

; CHECK-LABEL: define internal void @may_end.blocks(
; CHECK: call void @llvm.trap()
define void @may_end(ptr %x, i32 %n) #0 {
  %ends = icmp slt i32 %n, 0
  br i1 %ends, label %bad, label %good

good:
  store i64 1, ptr %x
  call void @kernix_cpu_barrier() #2
  ret void

bad:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %first = icmp ult i32 %t, 16
  br i1 %first, label %store, label %join

store:
  %p = getelementptr i64, ptr %x, i32 %t
  store i64 0, ptr %p
  br label %join

join:
  call void @kernix_cpu_barrier() #2
  call void @llvm.trap()
  unreachable
}

declare i32 @kernix_cpu_thread_idx_x() #1
declare void @kernix_cpu_barrier() #2

attributes #0 = { convergent nounwind "uniform-work-group-size"="true" }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind }
