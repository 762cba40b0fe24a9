// brainevent's comments are refused where they stand, as long as they bind nothing.
// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+1]]:1: error: a binding by '@BE' is not available yet; write {{\[\[}}kernix::bind]] before the function
// @BE first arg ret
__global__ void first(const float *x, float *y) { y[0] = x[0]; }

namespace inner {
  // CHECK: :[[#@LINE+1]]:3: error: a binding by '@BE'
  //@BE second attr.a
  [[kernix::bind]] int second(int a) { return a; } // see @BE, which is no binding
} // namespace inner

/* @BE third */
// @BEAT third
const char *Text = "// @BE fourth";
// CHECK: 2 errors generated
