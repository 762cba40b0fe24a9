; A function that the host calls and that asks for its place, for shared memory or for other threads is the only thread
; of a launch: said outside of its body, which takes the state to be constant.
; RUN: %opt -passes='kernix-cpu-device<unit=u>' %s | FileCheck %s
source_filename = "alone.cu"
target triple = "x86_64-pc-linux-gnu"

@shared = internal global [12 x i32] undef, align 4

declare i32 @kernix_cpu_thread_idx_x()
declare void @kernix_cpu_barrier()

; CHECK-LABEL: define hidden void @kernix_export_place(ptr %x) {
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @kernix_cpu_run_alone(i32 48)
; CHECK-NEXT: call void @kernix_export_place.alone(ptr %x)
; CHECK-NEXT: ret void
define void @kernix_export_place(ptr %x) {
  %i = call i32 @kernix_cpu_thread_idx_x()
  store i32 %i, ptr %x
  ret void
}

; CHECK-LABEL: define hidden void @kernix_export_shared(
; CHECK: call void @kernix_cpu_run_alone(i32 48)
define void @kernix_export_shared(ptr %x) {
  call void @uses(ptr %x)
  ret void
}
define void @uses(ptr %x) {
  %v = load i32, ptr @shared
  store i32 %v, ptr %x
  ret void
}

; CHECK-LABEL: define hidden i32 @kernix_export_waits(
; CHECK: %[[RESULT:.*]] = call i32 @kernix_export_waits.alone()
; CHECK-NEXT: ret i32 %[[RESULT]]
define i32 @kernix_export_waits() {
  call void @kernix_cpu_barrier()
  ret i32 3
}

; CHECK-LABEL: define hidden i32 @kernix_export_plain(
; CHECK-NEXT: ret i32 3
define i32 @kernix_export_plain() {
  ret i32 3
}

; CHECK: define internal void @kernix_export_place.alone(ptr %x) #[[ALONE:[0-9]+]]
; CHECK: attributes #[[ALONE]] = { noinline }
