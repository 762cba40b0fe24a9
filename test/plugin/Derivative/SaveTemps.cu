// Derivatives are written inside the pass pipeline: where cc1 runs in two steps they are refused, never left empty.
// RUN: rm -rf %t && mkdir %t
// RUN: cd %t && not %toolkit-device -save-temps -Wno-#pragma-messages -c %s 2>&1 | FileCheck %s
// RUN: cd %t && not %cpu-device -save-temps -Wno-#pragma-messages -c %s 2>&1 | FileCheck %s --check-prefix=CPU
// REQUIRES: cuda, cpu
#include <kernix/kernix.h>

// CHECK: SaveTemps.cu:[[#@LINE+2]]:3: error: kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with -save-temps or -disable-llvm-passes; to see what is compiled, use -E, -S or -S -emit-llvm
// CPU: SaveTemps.cu:[[#@LINE+1]]:3: error: kernix's CPU target works inside LLVM's pass pipeline: it cannot be combined with -save-temps or -disable-llvm-passes; to see what is compiled, use -E, -S or -S -emit-llvm
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, float *y) { y[0] = x[0]; }
