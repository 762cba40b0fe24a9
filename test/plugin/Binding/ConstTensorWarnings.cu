// -Wkernix-const-tensor: what cannot be seen, and outputs that are only read.
// RUN: %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// REQUIRES: cpu
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix-const-tensor %s 2>&1 | count 0
// RUN: not %cpu-host -fsyntax-only -fplugin-arg-kernix-Werror=kernix-const-tensor %s 2>&1 | grep -c error: | grep 6
#include <kernix/kernix.h>

void unseen(float *p);
void unseenTensor(kernix::Tensor t);
void unseenConst(const float *p);
void unseenConstTensor(const kernix::Tensor &t);

[[kernix::bind]] int positivePointer(const kernix::Tensor x) {
// CHECK: :[[#@LINE+2]]:12: warning: 'x' is declared const, an input, but a function whose body is not visible may write to it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE-2]]:59: note: 'x' is declared here
  unseen(x.data_ptr<float>());
  return 0;
}
[[kernix::bind]] int positiveTensor(const kernix::Tensor x) {
// CHECK: :[[#@LINE+2]]:16: warning: 'x' is declared const, an input, but a function whose body is not visible may write to it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE-2]]:58: note: 'x' is declared here
  unseenTensor(x);
  return 0;
}
[[kernix::bind]] int negativeConst(const kernix::Tensor x) {
  unseenConst(x.data_ptr<float>());
  unseenConstTensor(x);
  return x.ndim();
}
// CHECK: :[[#@LINE+2]]:58: warning: 'x' is not const and therefore an output, but 'positiveOnlyRead' only reads it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE+1]]:80: note: it is read here; make it an input with 'const'
[[kernix::bind]] __global__ void positiveOnlyRead(float *x, float *y) { y[0] = x[0]; }
// CHECK: :[[#@LINE+2]]:62: warning: 'x' is not const and therefore an output, but 'positiveTensorOnlyRead' only reads it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE+1]]:76: note: it is read here; make it an input with 'const'
[[kernix::bind]] float positiveTensorOnlyRead(kernix::Tensor x) { return x.data_ptr<float>()[0]; }
// CHECK: :[[#@LINE+2]]:71: warning: 'x' is not const and therefore an output, but 'positiveViewOnlyRead' only reads it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE+1]]:83: note: it is read here; make it an input with 'const'
[[kernix::bind]] float positiveViewOnlyRead(kernix::TensorView<float> x) { return x(0); }
// CHECK: :[[#@LINE+2]]:73: warning: 'x' is not const and therefore an output, but 'positiveTemplate<float>' only reads it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE+1]]:89: note: it is read here; make it an input with 'const'
template <class T> [[kernix::bind]] __global__ void positiveTemplate(T *x, T *y) { *y = *x; }
template __global__ void positiveTemplate(float *, float *);

[[kernix::bind]] __global__ void negativeUnused(float *x) {}
[[kernix::bind]] __global__ void negativeIntent([[kernix::intent(inout_ptr)]] float *x, float *y) { y[0] = x[0]; }
[[kernix::bind]] float negativeUnknown(kernix::Tensor x) {
  unseenTensor(x);
  return x.data_ptr<float>()[0];
}
