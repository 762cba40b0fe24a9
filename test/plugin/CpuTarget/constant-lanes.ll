; Shuffles whose lanes are known are permutations of a warp's values; short loops of them are unrolled.
; RUN: %opt -passes='kernix-cpu-device<unit=u>,verify' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Two turns: each reads the lane two, then one further down, and its own at the end of the warp.
; CHECK-LABEL: define internal void @halves.blocks(
; CHECK: {{^}}permute.warp:
; CHECK: shufflevector <32 x i64> %{{.*}}, <32 x i64> poison, <32 x i32> <i32 2, i32 3, {{.*}}i32 31, i32 30, i32 31>
; CHECK: {{^}}permute.warp{{[0-9]+}}:
; CHECK: shufflevector <32 x i64> %{{.*}}, <32 x i64> poison, <32 x i32> <i32 1, i32 2, {{.*}}i32 31, i32 31>
; CHECK-NOT: shufflevector
; CHECK-LABEL: define internal void @halves.run_blocks(
define void @halves(ptr %x) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %row = call i32 @kernix_cpu_thread_idx_y() #1
  %width = call i32 @kernix_cpu_block_dim_x() #1
  %before = mul i32 %row, %width
  %linear = add i32 %before, %t
  %lane = and i32 %linear, 31
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  br label %turn
turn:
  %d = phi i32 [ 2, %entry ], [ %half, %turn ]
  %a = phi i64 [ %v, %entry ], [ %sum, %turn ]
  %up = add i32 %lane, %d
  %exists = icmp slt i32 %up, 32
  %source = select i1 %exists, i32 %up, i32 %lane
  %other = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %a, i32 %source) #2
  %sum = add i64 %a, %other
  %half = lshr i32 %d, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %turn, label %done
done:
  store i64 %sum, ptr %p
  ret void
}

; The lane comes from memory, or depends on the warp.
; CHECK-LABEL: define internal void @unknown.blocks(
; CHECK-NOT: shufflevector
; CHECK-LABEL: define internal void @unknown.run_blocks(
define void @unknown(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %l = trunc i64 %v to i32
  %a = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %v, i32 %l) #2
  %warp = lshr i32 %t, 5
  %b = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %a, i32 %warp) #2
  %block = call i32 @kernix_cpu_block_idx_x() #1
  %mixed = add i32 %t, %block
  %m = and i32 %mixed, 31
  %c = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %b, i32 %m) #2
  store i64 %c, ptr %p
  ret void
}

declare i32 @kernix_cpu_thread_idx_x() #1
declare i32 @kernix_cpu_thread_idx_y() #1
declare i32 @kernix_cpu_block_idx_x() #1
declare i32 @kernix_cpu_block_dim_x() #1
declare i64 @kernix_cpu_warp_shuffle(i32, i64, i32) #2

attributes #0 = { convergent nounwind "uniform-work-group-size"="true" }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind }
