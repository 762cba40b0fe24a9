; An initialiser cannot hold an address that each block has its own of.
; RUN: not %opt -passes=kernix-cpu-device %s 2>&1 | FileCheck %s
; CHECK: error: kernix: the address of __shared__ variable 'x' is used as a constant initialiser, which has no CPU target
target triple = "x86_64-pc-linux-gnu"
@x = internal global i32 undef
@p = global ptr @x
