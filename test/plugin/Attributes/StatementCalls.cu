// [[kernix::no_diff]] on statements: which of them have a call that it could speak of.
// RUN: not %cpu-device -fsyntax-only -fno-caret-diagnostics %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %cpu-device -fsyntax-only -DPOSITIVE %s 2>&1 | count 0
#include <kernix/kernix.h>

struct Pair {
  float first, second;
};
struct Complex {
  float re, im;
  __device__ Complex(float re, float im) : re(re), im(im) {}
  __device__ Complex operator*(Complex b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
};
__device__ int index(int);
__device__ float number(float);
__device__ void write();

#ifdef POSITIVE
struct View {
  __device__ float &operator[](int) const;
  __device__ operator float() const;
};
__device__ void positive(float x, float *p, Complex c, View v, int k) {
  [[kernix::no_diff]] write();
  [[kernix::no_diff]] k = index(k);
  [[kernix::no_diff]] x = p[threadIdx.x] * number(x);
  [[kernix::no_diff]] x += (number(x));
  [[kernix::no_diff]] p[index(k)] = sqrtf(x);
  [[kernix::no_diff]] x = __builtin_fabsf(x);
  [[kernix::no_diff]] x = __int_as_float(k);
  [[kernix::no_diff]] c = c * c;
  [[kernix::no_diff]] c = Complex(x, x);
  [[kernix::no_diff]] x = v;
  [[kernix::no_diff]] x = p[static_cast<int>(number(x))];
  [[kernix::no_diff]] x = [&] { return x * x; }();
}
// An operator of a template may be a call.
template <class T> __device__ T square(const T *x) {
  T y = x[0];
  [[kernix::no_diff]] y = y * x[threadIdx.x];
  return y;
}
template <class T> __device__ T never(const T *x) {
  T y;
  [[kernix::no_diff]] y = x[threadIdx.x];
  return y;
}
template <class T> __device__ float converted(T x) {
  float y;
  [[kernix::no_diff]] y = float(x);
  return y;
}
__device__ Complex use(const Complex *x, View v) {
  converted(v);
  return square(x);
}
#else
__device__ void negative(float x, float y, float *p, int k, Pair a, int *q) {
// CHECK: [[@LINE+1]]:5: error: 'kernix::no_diff' speaks of the calls in a statement, and this one has none that gives or writes numbers; write it on the variable that takes the value
  [[kernix::no_diff]] x = y * 2;
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] x = p[blockIdx.x * blockDim.x + threadIdx.x];
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] p[index(k) + 1] += x;
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] x = y * index(threadIdx.x);
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] ++p;
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] x = y > 0 ? y : -y;
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] x = y * sizeof(number(x));
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] x = Pair(a).first;
// CHECK: [[@LINE+1]]:5: error: {{.*}} none that gives or writes numbers
  [[kernix::no_diff]] *q = static_cast<int>(x);
// CHECK: [[@LINE+1]]:12: error: {{.*}} none that gives or writes numbers
  if (k) [[kernix::no_diff]] x = y;
}
template <class T> __device__ T square(const T *x) {
  T y = x[0];
// CHECK-DAG: [[@LINE+1]]:5: error: 'kernix::no_diff' speaks of the calls in a statement, and in 'square<float>' this one has none; write it on the variable that takes the value
  [[kernix::no_diff]] y = y * x[threadIdx.x];
  return y;
}
template <class T> struct Class {
  __device__ float get(T x) {
    auto twice = [&](auto y) {
// CHECK-DAG: [[@LINE+1]]:9: error: {{.*}} this one has none; write it
      [[kernix::no_diff]] x = y + y;
    };
    float y;
// CHECK-DAG: [[@LINE+1]]:7: error: {{.*}} in 'get' this one has none; write it
    [[kernix::no_diff]] y = float(x);
    twice(x);
    return y;
  }
};
// CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: note: 'square<float>' is instantiated here
__device__ float use(const float *x, const Complex *c) { return square(x) + square(c).re + Class<float>().get(1); }
#endif
