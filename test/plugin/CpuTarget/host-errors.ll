; A parameter that C++ passes by the address of the caller's object.
; RUN: not %opt -passes='kernix-cpu-host<unit=u>' %s 2>&1 | FileCheck %s
; CHECK: error: kernix: kernel '_Z1k1S' has a parameter that is not trivially copyable, which has no CPU target
target triple = "x86_64-pc-linux-gnu"
define void @_Z16__device_stub__k1S(ptr %s) {
  %args = alloca ptr, i64 1
  store ptr %s, ptr %args
  %r = call i32 @cudaLaunchKernel(ptr @_Z16__device_stub__k1S, i64 0, i32 0, i64 0, i32 0, ptr %args, i64 0, ptr null)
  ret void
}
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
