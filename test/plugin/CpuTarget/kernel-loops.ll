; A kernel whose threads never wait becomes loops over blocks and threads; geometry becomes their counters.
; RUN: %opt -passes='kernix-cpu-device<unit=u1>' %s | FileCheck %s
; RUN: %opt -passes='kernix-cpu-device<unit=u1>,default<O2>' %s | FileCheck %s --check-prefix=O2
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The descriptor is all that the linker sees.
; CHECK: @__kernix_cpu_kernel.u1._Z1kPii = hidden constant {{.*}} { i32 2, i32 2, ptr @{{.*}}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, ptr @_Z1kPii.run_blocks, ptr null, ptr null }

; CHECK: define internal void @_Z1kPii(ptr
define dso_local void @_Z1kPii(ptr noalias %x, i32 %n) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x()
  %b = call i32 @kernix_cpu_block_idx_x()
  %d = call i32 @kernix_cpu_block_dim_x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %p
  br label %no
no:
  ret void
}

; The parameters keep what is known of them.
; CHECK: define internal void @_Z1kPii.blocks(ptr noalias %0, i32 %1, ptr %2, i64 %3, i64 %4)
; CHECK: load i32, ptr {{.*}}, !range
; CHECK: strip:
; CHECK: thread.z:
; CHECK: thread.y:
; CHECK: block:
; CHECK: thread.x:
; CHECK: %[[T:.*]] = phi i32 [ 0, %block ], [ %[[NEXT:.*]], %thread.x.next ]
; CHECK-NOT: call i32 @kernix_cpu
; CHECK: mul i32
; CHECK: add i32 %{{.*}}, %[[T]]
; CHECK: thread.x.next:
; CHECK: br i1 %{{.*}}, label %thread.x, label %block.next, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: define internal void @_Z1kPii.run_blocks(ptr %0, ptr %1, i64 %2, i64 %3)
; CHECK: call void @_Z1kPii.blocks(ptr noalias
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[MARK:[0-9]+]]}
; CHECK: ![[MARK]] = !{!"kernix.thread.loop"}

; O2: define internal fastcc void @_Z1kPii.blocks
; O2-NOT: @kernix_cpu_current_state
; O2: ret void

declare i32 @kernix_cpu_thread_idx_x() #1
declare i32 @kernix_cpu_block_idx_x() #1
declare i32 @kernix_cpu_block_dim_x() #1
attributes #0 = { convergent norecurse nounwind "uniform-work-group-size"="true" }
attributes #1 = { convergent nounwind willreturn memory(none) }
