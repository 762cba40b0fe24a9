// Members of views that are marked no_diff: there is no gradient to add to, nor one that a store takes away.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -fplugin-arg-kernix-deterministic -c %s -o /dev/null
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: not %cpu-device -DDETERMINISTIC -fplugin-arg-kernix-deterministic -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=DETERMINISTIC %s
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

// Nothing is stored to the log again.
// CHECK-LABEL: define {{.*}}@_Z10logged_bwd
// CHECK-NOT: store float 3.000000e+00
// CHECK: ret void
DIFFERENTIABLE void logged(const float *x, View y, [[kernix::no_diff]] View log) {
  log[ID] = x[ID];
  y[ID] = 2 * x[ID];
  log[ID] = 3.0f;
}

// All threads may store to one element of it.
DIFFERENTIABLE void same(const float *x, [[kernix::no_diff]] View log, View y) {
  for (int k = 0; k < 3; ++k)
    log.store(0, x[ID]);
  y.store(ID, x[ID]);
}

// The gradient of x alone is added to.
// CHECK-LABEL: define {{.*}}@_Z12weighted_bwd
// CHECK: atomicrmw
// CHECK-NOT: atomicrmw
// CHECK: ret void
DIFFERENTIABLE void weighted([[kernix::no_diff]] const View w, const float *x, float *y) { y[ID] = w[ID] * x[ID]; }

#ifdef REFUSED
// REFUSED: ConstantViews.cu:[[#@LINE+4]]:{{[0-9]+}}: error: cannot differentiate 'beside': one element of 'y' may be stored to twice
DIFFERENTIABLE void beside(const float *x, View y, [[kernix::no_diff]] View log) {
  log[ID] = x[ID];
  y[ID] = x[ID];
  y[ID] = 2 * x[ID];
}

// Gradients of another view are gradients.
// REFUSED: ConstantViews.cu:[[#@LINE+5]]:{{[0-9]+}}: error: cannot differentiate 'mixed':
DIFFERENTIABLE void mixed(const View x, View y, [[kernix::no_diff]] View log) {
  View other = log;
  other.differential = y.differential;
  y[ID] = x[ID];
  other[ID] = x[ID];
  other[ID] = 2 * x[ID];
}
// REFUSED: ConstantViews.cu:[[#@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'readBack': 'load_at' reads memory after it may have been written
DIFFERENTIABLE void readBack(const float *x, float *y, [[kernix::no_diff]] View log) {
  log[ID] = x[ID];
  y[ID] = log.load(ID) * x[ID];
}
#endif

#ifdef DETERMINISTIC
// DETERMINISTIC: ConstantViews.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'both': 'load_at' adds to its gradient
DIFFERENTIABLE void both([[kernix::no_diff]] const View w, const View x, float *y) { y[ID] = w[ID] * x[ID]; }
#endif
