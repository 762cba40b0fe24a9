// The same on the CUDA target, alone, in relocatable device code, and where cc1 runs in two steps.
// RUN: not %toolkit-device -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %toolkit-device -O0 -fgpu-rdc -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %toolkit-device -flto=thin -fgpu-rdc -c %s -o %t 2>&1 | FileCheck %s
// RUN: %toolkit-host -c %s -o %t
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && not %toolkit-device -save-temps -Wno-#pragma-messages -c %s 2>&1 | FileCheck %s --check-prefix=TEMPS
// REQUIRES: cuda
#include <kernix/kernix.h>

// CHECK: NotAvailableForCuda.cu:[[#@LINE+2]]:3: error: derivatives are not available yet: remove {{\[\[}}kernix::differentiable]]
// TEMPS: NotAvailableForCuda.cu:[[#@LINE+1]]:3: error: kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with -save-temps or -disable-llvm-passes
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, float *y) { y[0] = x[0]; }
