; Which kernels run as fibers without optimisation: those that may reach a waiting function, also through pointers. Only
; they stay convergent.
; RUN: %opt -passes='kernix-cpu-device<unit=u>' %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: @__kernix_cpu_kernel.u.direct = {{.*}} ptr null, ptr @direct.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.nested = {{.*}} ptr null, ptr @nested.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.pointer = {{.*}} ptr null, ptr @pointer.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.callback = {{.*}} ptr null, ptr @callback.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.math = {{.*}} ptr @math.run_blocks, ptr null, ptr null }
@table = internal constant [1 x ptr] [ptr @taken]

; CHECK: define internal void @direct() #[[WAITS:[0-9]+]]
; CHECK: call void @kernix_cpu_barrier() #[[CONVERGENT:[0-9]+]]
define void @direct() #0 {
  call void @kernix_cpu_barrier() #1
  ret void
}
define linkonce_odr void @middle() #2 {
  %x = call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 0, i32 0) #1
  ret void
}
; CHECK: define internal void @nested() #[[WAITS]]
define void @nested() #0 {
  call void @middle() #1
  ret void
}
define internal void @taken() #2 {
  call void @middle() #1
  ret void
}
; CHECK: define internal void @pointer(ptr %f) #[[WAITS]]
define void @pointer(ptr %f) #0 {
  call void %f() #1
  ret void
}
; CHECK: define internal void @callback() #[[WAITS]]
define void @callback() #0 {
  call void @qsort(ptr @taken) #1
  ret void
}
; CHECK: define internal void @math(ptr %x) #[[PLAIN:[0-9]+]]
; CHECK: call float @llvm.sqrt.f32(float %{{.*}}){{$}}
define void @math(ptr %x) #0 {
  %v = load float, ptr %x
  %r = call float @llvm.sqrt.f32(float %v) #1
  store float %r, ptr %x
  ret void
}
declare void @kernix_cpu_barrier() #2
declare i64 @kernix_cpu_warp_shuffle(i32, i64, i32) #2
declare void @qsort(ptr) #2
declare float @llvm.sqrt.f32(float)
; CHECK-DAG: attributes #[[WAITS]] = { convergent noinline nounwind optnone "uniform-work-group-size"="true" }

; CHECK-DAG: attributes #[[PLAIN]] = { noinline nounwind optnone "uniform-work-group-size"="true" }
; CHECK-DAG: attributes #[[CONVERGENT]] = { convergent }

attributes #0 = { convergent noinline nounwind optnone "uniform-work-group-size"="true" }
attributes #1 = { convergent }
attributes #2 = { convergent }
