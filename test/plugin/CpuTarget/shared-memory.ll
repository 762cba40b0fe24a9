; __shared__ variables become places in the block's arena, also where constant expressions name them.
; RUN: %opt -passes='kernix-cpu-device<unit=u>' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-NOT: @tile =
; CHECK-NOT: @dynamic =
@tile = internal global [64 x float] undef, align 4
@flag = linkonce_odr global i8 undef, comdat, align 1
$flag = comdat any
@pair = internal global { i32, double } undef, align 8
@unused = internal global [1000 x i32] undef, align 4
@dynamic = external global [0 x float], align 4
; A device variable and a table are none.
; CHECK-DAG: @counter = internal externally_initialized global i32 0
@counter = dso_local externally_initialized global i32 0
; CHECK-DAG: @_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x ptr]
@_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x ptr]
@_ZTI1S = linkonce_odr constant { ptr } { ptr getelementptr inbounds (ptr, ptr @_ZTVN10__cxxabiv117__class_type_infoE, i64 2) }

; Static bytes that the kernel reaches (tile, flag), and bytes of the unit.
; CHECK-DAG: @__kernix_cpu_kernel.u.k = {{.*}}, i32 257, i32 4280,
; CHECK-DAG: @__kernix_cpu_kernel.u.none = {{.*}}, i32 0, i32 4280,

; CHECK: define internal void @helper()
; CHECK: %[[STATE:.*]] = call ptr @llvm.threadlocal.address.p0(ptr @kernix_cpu_current_state)
; CHECK: %[[FIELD:.*]] = getelementptr {{.*}}, ptr %[[STATE]], i32 0, i32 6
; CHECK: %[[ARENA:.*]] = load ptr, ptr %[[FIELD]], align 8, !invariant.load !{{[0-9]+}}, !nonnull
; CHECK: %[[FLAG:.*]] = getelementptr inbounds i8, ptr %[[ARENA]], i64 256
; CHECK: store i8 1, ptr %[[FLAG]]
define internal void @helper() noinline {
  store i8 1, ptr @flag
  ret void
}
; CHECK: define internal void @k(ptr %out, i1 %c)
; CHECK: getelementptr {{.*}}, i32 0, i32 7
; CHECK: phi ptr
define void @k(ptr %out, i1 %c) noinline optnone "uniform-work-group-size"="true" {
entry:
  call void @helper()
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr [ getelementptr inbounds (i8, ptr @tile, i64 20), %entry ], [ @dynamic, %a ]
  store float 1.0, ptr %p
  ret void
}
define void @pairs() {
  store double 1.0, ptr getelementptr inbounds (i8, ptr @pair, i64 8)
  ret void
}
define void @none() noinline optnone "uniform-work-group-size"="true" {
  ret void
}
