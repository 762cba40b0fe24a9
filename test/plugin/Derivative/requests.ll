; Requests are read from annotations, their place from the arguments. Other annotations are not ours. One that does not
; say what is wanted is an error.
; RUN: not %opt -load-pass-plugin=%plugin -passes=kernix-derive -disable-output %s 2>&1 | FileCheck %s

@kind = private constant [14 x i8] c"kernix.derive\00"
@other = private constant [6 x i8] c"other\00"
@file = private constant [10 x i8] c"dir/f.cu\00\00"
@place = private constant { ptr, ptr, ptr, ptr, i64, i64 } { ptr @primal, ptr null, ptr @json, ptr @name, i64 7, i64 3 }
@json = private constant [3 x i8] c"{}\00"
@name = private constant [9 x i8] c"dir/f.cu\00"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @primal, ptr @other, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @placeholder, ptr @kind, ptr @file, i32 1, ptr @place }], section "llvm.metadata"

; CHECK-NOT: error
; CHECK: error: f.cu:7:3: in function placeholder void (): kernix: the description of this derivative cannot be read
; CHECK-NOT: error
define void @primal() {
  ret void
}
define internal void @placeholder() {
  ret void
}
