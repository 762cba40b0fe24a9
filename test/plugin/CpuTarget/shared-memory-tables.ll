; A table of addresses of __shared__ variables, which clang makes for `float *buffers[] = {a, b};`, is made by each
; function that reads it.
; RUN: %opt -passes='kernix-cpu-device<unit=u>,verify' -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: @table =
; CHECK-NOT: @a =
@a = internal global [64 x float] undef, align 4
@b = internal global [64 x float] undef, align 4
@table = private unnamed_addr constant { i32, [2 x ptr] } { i32 7, [2 x ptr] [ptr @b, ptr getelementptr (i8, ptr @a, i64 8)] }, align 16

; CHECK: define internal void @k(ptr %out, i64 %i)
; CHECK: %[[TABLE:.*]] = alloca { i32, [2 x ptr] }, align 16
; CHECK-DAG: store i32 7, ptr %[[TABLE]]
; CHECK-DAG: %[[B:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 256
; CHECK-DAG: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %[[TABLE]], i64 8
; CHECK-DAG: store ptr %[[B]], ptr %[[FIRST]]
; CHECK-DAG: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %[[TABLE]], i64 16
; CHECK-DAG: store ptr %{{.*}}, ptr %[[SECOND]]
; CHECK: getelementptr { i32, [2 x ptr] }, ptr %[[TABLE]], i64 0, i32 1, i64 %i
define void @k(ptr %out, i64 %i) noinline optnone "uniform-work-group-size"="true" {
  %place = getelementptr { i32, [2 x ptr] }, ptr @table, i64 0, i32 1, i64 %i
  %p = load ptr, ptr %place
  store float 1.0, ptr %p
  ret void
}
