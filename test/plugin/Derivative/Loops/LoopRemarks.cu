// -Rkernix: how each loop is reversed, and what that costs a thread.
// RUN: %cpu-device -O1 -fplugin-arg-kernix-Rkernix -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %cpu-device -O0 -Rkernix -Wno-unknown-warning-option -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %cpu-device -O1 -Rpass=kernix -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RPASS
// RUN: %cpu-device -O1 -c %s -o /dev/null 2>&1 | FileCheck --allow-empty --check-prefix=SILENT %s
// SILENT-NOT: remark
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#define I static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

BACKWARD void carried(const float *x, float *y, int n) {
  float s = 1;
  for (int k = 0; k < n; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'carried': this loop runs backwards, each iteration computed again; {{.*}}stored: 1 value of 4 bytes, as checkpoints on 4 levels of 64, for one more run beyond 64 iterations and three beyond 4096: 1024 bytes a thread [-Rkernix]
    // RPASS-DAG: :[[@LINE-2]]:3: remark: derivative of 'carried': this loop runs backwards{{.*}} [-Rpass=kernix]
    s = s * s + x[I];
  y[I] = s;
}

BACKWARD void bounded(const float *x, float *y, int n) {
  float s = 1;
  [[kernix::max_iters(100)]] for (int k = 0; k < n; ++k)
    // CHECK-DAG: :[[@LINE-1]]:30: remark: derivative of 'bounded': this loop runs backwards{{.*}}; stored: 1 value of 4 bytes, for each of at most 100 iterations: 400 bytes a thread [-Rkernix]
    s = s * s + x[I];
  y[I] = s;
}

// Of the values that an element gets the last counts, which is met first on the way back.
BACKWARD void lastStore(const float *x, float *y, int n, int m) {
  for (int k = 0; k < n; ++k)
    // CHECK-DAG: remark: derivative of 'lastStore': this loop runs backwards
    if (m > k)
      y[I] = x[k];
}

BACKWARD void eachStore(const float *x, float *y, int n, int m) {
  for (int k = 0; k < n; ++k)
    // CHECK-DAG: remark: derivative of 'eachStore': this loop runs once more in the order of the source
    if (m > k)
      y[I * n + k] = x[k];
}

// After as many steps as it has bits, what is doubled or halved stays as it is.
BACKWARD void doubling(const float *x, float *y, int n) {
  float s = 1;
  for (int k = 1; k < n; k *= 2)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'doubling': {{.*}}; stored: 2 values of 8 bytes, for each of at most 34 iterations: 272 bytes a thread [-Rkernix]
    s = s * s + x[I];
  y[I] = s;
}

BACKWARD void halving(const float *x, float *y, long long n) {
  float s = 1;
  for (long long k = n; k > 0; k /= 3)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'halving': {{.*}}; stored: 2 values of 12 bytes, for each of at most 66 iterations: 792 bytes a thread [-Rkernix]
    s = s * s + x[I];
  y[I] = s;
}

// Another way out may be taken after any number of iterations.
BACKWARD void twoExits(const float *x, float *y, unsigned n) {
  float s = 1;
  for (unsigned k = 1; k < n; k *= 2) {
    // CHECK-DAG: remark: derivative of 'twoExits': {{.*}}; stored: 2 values of 8 bytes, as checkpoints
    s = s * s + x[I];
    if (s > 100)
      break;
  }
  y[I] = s;
}

BACKWARD void seldomAsked(const float *x, float *y, const int *ask, unsigned n) {
  float s = 1;
  unsigned k = n;
  for (int i = 0;; ++i) {
    // CHECK-DAG: remark: derivative of 'seldomAsked': {{.*}}as checkpoints
    s = s * s + x[I];
    k /= 2;
    if (ask[i] && k == 0)
      break;
  }
  y[I] = s;
}

BACKWARD void growing(const float *x, float *y, int n) {
  float s = 1;
  for (int k = 1; k < n; k *= 3)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'growing': {{.*}}; stored: 2 values of 8 bytes, as checkpoints
    s = s * s + x[I];
  y[I] = s;
}

// Only the final value of the sum is read: nothing is stored.
BACKWARD void finalValue(const float *x, float *y, int n) {
  float s = 1;
  for (int k = 0; k < n; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'finalValue': this loop runs once more in the order of the source [-Rkernix]
    s += x[I * n + k] * x[I * n + k];
  y[I] = sqrtf(s);
}

// Of two carried values one is read by the adjoints in the loop, the other only after it.
BACKWARD void oneOfTwo(const float *x, float *y, int n) {
  float s = 1, total = 1;
  for (int k = 0; k < n; ++k) {
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'oneOfTwo': {{.*}}; stored: 1 value of 4 bytes,{{.*}}: 1024 bytes a thread [-Rkernix]
    s = s * s + x[I];
    total += s;
  }
  y[I] = total * total;
}

BACKWARD void affine(const float *x, float *y, int n) {
  float a[4] = {1, 2, 3, 4};
  for (int k = 0; k < n; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'affine': {{.*}}; 1 value of its start computed from the iteration's number; stored: 1 local variable of 16 bytes, as checkpoints {{.*}}: 4096 bytes a thread [-Rkernix]
    a[k % 4] = a[k % 4] * a[(k + 1) % 4] * x[I];
  y[I] = a[0];
}

// Unrolled with what is around it.
BACKWARD void copied(const float *x, float *y, int n) {
  float s = x[I];
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < n; ++k)
      // CHECK-DAG: :[[@LINE-1]]:5: remark: derivative of 'copied': this loop runs backwards{{.*}}: 1024 bytes a thread; this for each of 3 copies, since a loop around it is unrolled [-Rkernix]
      s = sinf(s) + x[j];
  y[I] = s;
}
