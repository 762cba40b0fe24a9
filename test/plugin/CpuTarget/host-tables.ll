; The host pass ties stubs and shadow variables to the device object of its unit.
; RUN: %opt -passes='kernix-cpu-host<unit=u9>' %s | FileCheck %s --implicit-check-not=@cuda --implicit-check-not=@__cuda
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.Big = type { [20 x double] }
$shadow = comdat any

; CHECK: @shadow = internal global i32 undef, align 4
@shadow = internal global i32 undef, comdat, align 4
@ordinary = internal global i32 0
; CHECK-DAG: @__kernix_cpu_kernel.u9._ZN12_GLOBAL__N_11kE4Pairb3Big = extern_weak hidden constant
; CHECK-DAG: @__kernix_cpu_kernel.u9.named = extern_weak hidden constant
; CHECK-DAG: @__kernix_cpu_variable.u9.shadow = extern_weak hidden constant
; Parameter 0 and 1: two halves of argument 0; 2: argument 1, a bool; 3: argument 2, in memory.
; CHECK-DAG: @.kernix.params = internal constant [4 x { i32, i32 }] [{ i32, i32 } zeroinitializer, { i32, i32 } { i32 0, i32 8 }, { i32, i32 } { i32 1, i32 0 }, { i32, i32 } { i32 2, i32 -1 }]
; CHECK-DAG: @.kernix.kernels = internal constant [2 x {{.*}} @_ZN12_GLOBAL__N_116__device_stub__kE4Pairb3Big, ptr @__kernix_cpu_kernel.u9._ZN12_GLOBAL__N_11kE4Pairb3Big
; CHECK-DAG: @.kernix.unit = internal constant { i64, i64, ptr, i64, ptr } { i64 2, i64 2, ptr @.kernix.kernels, i64 1, ptr @.kernix.variables }
; CHECK-DAG: @llvm.global_ctors = {{.*}} i32 101, ptr @.kernix.register
; CHECK-DAG: @llvm.global_dtors = {{.*}} i32 101, ptr @.kernix.unregister

define internal void @_ZN12_GLOBAL__N_116__device_stub__kE4Pairb3Big(i64 %a0, double %a1, i1 zeroext %b, ptr byval(%struct.Big) align 8 %c) #0 {
  %a = alloca { i64, double }
  %bb = alloca i8
  %h0 = getelementptr inbounds { i64, double }, ptr %a, i32 0, i32 0
  store i64 %a0, ptr %h0
  %h1 = getelementptr inbounds { i64, double }, ptr %a, i32 0, i32 1
  store double %a1, ptr %h1
  %z = zext i1 %b to i8
  store i8 %z, ptr %bb
  %args = alloca ptr, i64 3
  %s0 = getelementptr ptr, ptr %args, i32 0
  store ptr %a, ptr %s0
  %s1 = getelementptr ptr, ptr %args, i32 1
  store ptr %bb, ptr %s1
  %s2 = getelementptr ptr, ptr %args, i32 2
  store ptr %c, ptr %s2
  %e = call i32 @__cudaPopCallConfiguration(ptr null, ptr null, ptr null, ptr null)
  ; CHECK: call i32 @kernix_cpu_launch_kernel(ptr @_ZN12_GLOBAL__N_116__device_stub__kE4Pairb3Big,
  %r = call i32 @cudaLaunchKernel(ptr @_ZN12_GLOBAL__N_116__device_stub__kE4Pairb3Big, i64 0, i32 0, i64 0, i32 0, ptr %args, i64 0, ptr null)
  ret void
}
define void @__device_stub__named() #0 {
  %args = alloca ptr, i64 1
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__named, i64 0, i32 0, i64 0, i32 0, ptr %args, i64 0, ptr null)
  ret void
}
; A launch of somebody else's kernel does not make a stub.
define void @caller() {
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__named, i64 0, i32 0, i64 0, i32 0, ptr null, i64 0, ptr null)
  ret void
}
declare i32 @__cudaPopCallConfiguration(ptr, ptr, ptr, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
attributes #0 = { norecurse "uniform-work-group-size"="true" }
