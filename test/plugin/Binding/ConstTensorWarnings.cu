// -Wkernix-const-tensor: what cannot be seen, and outputs that are only read.
// RUN: %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// REQUIRES: cpu
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix-const-tensor %s 2>&1 | count 0
// RUN: not %cpu-host -fsyntax-only -fplugin-arg-kernix-Werror=kernix-const-tensor %s 2>&1 | grep -c error: | grep 12
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
// A function of the user's, whatever its name begins with.
__device__ float atomicLoad(const float *p) { return *p; }
// CHECK: :[[#@LINE+2]]:60: warning: 'x' is not const and therefore an output, but 'positiveAtomicLoad' only reads it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE+1]]:93: note: it is read here; make it an input with 'const'
[[kernix::bind]] __global__ void positiveAtomicLoad(float *x, float *y) { y[0] = atomicLoad(x); }
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

// A handle that becomes a part of an object is not followed there.
struct Holder {
  kernix::TensorView<float> view;
};
struct Pointer {
  float *p;
  __device__ Pointer(float *p) : p(p) {}
};
struct Reader {
  const float *p;
};
__device__ void write(Holder h) { h.view(0) = 1; }
[[kernix::bind]] __global__ void positiveList(const kernix::TensorView<float> x, float *y) {
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: 'x' is declared const, an input, but what is stored here may write to it [-Wkernix-const-tensor]
// CHECK: :[[#@LINE-2]]:79: note: 'x' is declared here
  Holder h{x};
  h.view(0) = y[0] = 1;
}
[[kernix::bind]] __global__ void positiveArgument(const kernix::TensorView<float> x, float *y) {
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'x' is declared const, an input, but what is stored here may write to it
  write({x});
  y[0] = 1;
}
[[kernix::bind]] __global__ void positiveConstructor(const kernix::TensorView<float> x, float *y) {
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'x' is declared const, an input, but what is stored here may write to it
  Pointer p(x.data());
  p.p[0] = y[0] = 1;
}
[[kernix::bind]] __global__ void positiveMember(const kernix::TensorView<float> x, float *y) {
  Holder h;
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'x' is declared const, an input, but what is stored here may write to it
  h.view = x;
  h.view(0) = y[0] = 1;
}
[[kernix::bind]] int positiveArray(const kernix::Tensor x) {
  float *p = x.data_ptr<float>();
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'x' is declared const, an input, but what is stored here may write to it
  float *both[] = {p, p + 1};
  return both[0][0] = 1;
}
[[kernix::bind]] __global__ void negativeReader(const kernix::TensorView<float> x, float *y) {
  Reader r{x.data()};
  kernix::TensorView<const float> view = x;
  const float *both[] = {x.data(), x.data() + 1};
  y[0] = r.p[0] + view(0) + both[1][0];
}
