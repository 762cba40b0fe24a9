; Nothing of a device object merges with a host object, or with another file's.
; RUN: %opt -passes='kernix-cpu-device<unit=f>' %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

$inline = comdat any
$instance = comdat any
; CHECK: @constant = internal externally_initialized global i32 3
; CHECK: @instance = internal externally_initialized global i32 4{{$}}
@constant = dso_local externally_initialized constant i32 3
@instance = linkonce_odr externally_initialized constant i32 4, comdat
@text = private constant [2 x i8] c"a\00"
; CHECK-DAG: @__kernix_cpu_variable.f.constant = hidden constant { ptr, i64, i64 } { ptr @constant, i64 4, i64 1 }
; CHECK-DAG: @__kernix_cpu_variable.f.instance = hidden constant { ptr, i64, i64 } { ptr @instance, i64 4, i64 1 }
; CHECK-DAG: @__kernix_cpu_variable.f.table = hidden constant { ptr, i64, i64 } { ptr @table, i64 8, i64 0 }
@table = internal constant [2 x i32] [i32 1, i32 2]
; CHECK: @alias = internal alias
@alias = weak_odr alias void (), ptr @inline

; CHECK: define internal void @inline() {
define linkonce_odr void @inline() comdat {
  ret void
}
; CHECK: define hidden void @kernix_export_f()
define void @kernix_export_f() {
  ret void
}
; CHECK: define available_externally void @elsewhere()
define available_externally void @elsewhere() {
  ret void
}
; CHECK: declare void @outside()
declare void @outside()
define void @user() {
  call void @inline()
  call void @elsewhere()
  call void @outside()
  ret void
}
