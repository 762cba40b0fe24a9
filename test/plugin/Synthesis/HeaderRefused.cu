// Files that cannot bind functions: one error each.
// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %toolkit-host -std=c++14 -DINCLUDE -Wno-c++17-extensions -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: rm -rf %t && mkdir %t && cd %t && not %toolkit-host -DINCLUDE -Wno-#pragma-messages -save-temps -c %s 2>&1 | FileCheck %s --check-prefix=TEMPS
// RUN: cd %t && not %cpu-host -DINCLUDE -Wno-#pragma-messages -save-temps -c %s 2>&1 | FileCheck %s --check-prefix=CPU
// REQUIRES: cpu, cuda
#ifdef INCLUDE
#include <kernix/kernix.h>
#endif

// MISSING: :[[#@LINE+5]]:3: error: a file that binds functions has to include <kernix/kernix.h>
// MISSING: 1 error
// OLD: :[[#@LINE+3]]:3: error: a file that binds functions has to be compiled with -std=c++17 or newer
// TEMPS: :[[#@LINE+2]]:3: error: <kernix/kernix.h> was preprocessed without the plugin: a file that binds functions cannot be compiled with -save-temps (use -E, -S or -S -emit-llvm to see what is compiled) or from a preprocessed file
// CPU: :[[#@LINE+1]]:3: error: kernix's CPU target works inside LLVM's pass pipeline: it cannot be combined with -save-temps or -disable-llvm-passes
[[kernix::bind]] __global__ void f(float *y) { *y = 1; }
[[kernix::bind]] __global__ void g(float *y) { *y = 1; }
