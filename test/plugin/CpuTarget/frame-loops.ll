; Loops between phases that are the same for all kernels are functions, one of each in a module.
; RUN: %opt -passes='kernix-cpu-device<unit=u>,verify' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Two shuffles from lanes that are not known, and branches that each thread decides.
; CHECK-LABEL: define internal void @exchange.blocks(
; CHECK-COUNT-2: call void @kernix.frames.read(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}})
; CHECK-NOT: call void @kernix.frames.read(
; A thread reads from its own warp only, and from those lanes that are there.
; CHECK: define internal void @kernix.frames.read(ptr noalias captures(none) [[SOURCES:%.*]], ptr noalias captures(none) [[VALUES:%.*]], ptr noalias captures(none) [[RESULTS:%.*]], i64 [[THREADS:%.*]]) #[[ATTRIBUTES:[0-9]+]]
; CHECK: [[THREAD:%.*]] = phi i64
; CHECK: [[AT:%.*]] = getelementptr inbounds i32, ptr [[SOURCES]], i64 [[THREAD]]
; CHECK: [[SOURCE:%.*]] = load i32, ptr [[AT]]
; CHECK: [[FIRST:%.*]] = and i64 [[THREAD]], -32
; CHECK: [[WIDE:%.*]] = zext i32 [[SOURCE]] to i64
; CHECK: [[LANE:%.*]] = add i64 [[FIRST]], [[WIDE]]
; CHECK: [[OF_WARP:%.*]] = icmp ult i32 [[SOURCE]], 32
; CHECK: [[THERE:%.*]] = icmp ult i64 [[LANE]], [[THREADS]]
; CHECK: [[EXISTS:%.*]] = and i1 [[OF_WARP]], [[THERE]]
; CHECK: select i1 [[EXISTS]], i64 [[LANE]], i64 [[THREAD]]
; CHECK-LABEL: define internal void @exchange.run_blocks(
define void @exchange(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %l = trunc i64 %v to i32
  %a = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %v, i32 %l) #2
  %m = trunc i64 %a to i32
  %b = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %a, i32 %m) #2
  store i64 %b, ptr %p
  ret void
}

; Threads wait in branches of their own: all that are at one cut go on together.
; CHECK-LABEL: define internal void @parts.blocks(
; CHECK: [[CUT:%.*]] = call i32 @kernix.frames.cut(ptr %{{.*}}, i64 %{{.*}})
; CHECK-NEXT: switch i32 [[CUT]], label %mixed [
; CHECK-NEXT: i32 {{.*}}, label %arrive.1
; CHECK: define internal i32 @kernix.frames.cut(ptr noalias captures(none) [[CUTS:%.*]], i64 [[ALL:%.*]]) #[[ATTRIBUTES]]
; CHECK: [[BEGIN:%.*]] = getelementptr inbounds i32, ptr [[CUTS]], i64 0
; CHECK: [[OF_FIRST:%.*]] = load i32, ptr [[BEGIN]]
; CHECK: [[DIFFERENT:%.*]] = xor i32 [[OF_FIRST]], %{{.*}}
; CHECK: or i32 %{{.*}}, [[DIFFERENT]]
; CHECK: select i1 %{{.*}}, i32 [[OF_FIRST]], i32 0
; CHECK-LABEL: define internal void @parts.run_blocks(
define void @parts(ptr %x) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %c = icmp slt i64 %v, 0
  br i1 %c, label %on, label %done
on:
  call void @kernix_cpu_warp_sync(i32 -1) #2
  store i64 0, ptr %p
  br label %done
done:
  ret void
}

; CHECK-NOT: define internal void @kernix.frames.read
; CHECK-LABEL: define internal void @again.blocks(
; CHECK: call void @kernix.frames.read(
define void @again(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %l = trunc i64 %v to i32
  %a = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 %v, i32 %l) #2
  store i64 %a, ptr %p
  ret void
}

; CHECK: attributes #[[ATTRIBUTES]] = { {{.*}}noinline nounwind memory(argmem: readwrite)

declare i32 @kernix_cpu_thread_idx_x() #1
declare i64 @kernix_cpu_warp_shuffle(i32, i64, i32) #2
declare void @kernix_cpu_warp_sync(i32) #2

attributes #0 = { convergent nounwind "uniform-work-group-size"="true" }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind }
