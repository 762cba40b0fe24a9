// [[kernix::store]] and [[kernix::recompute]] on variables and functions: the plan follows them, or there is an error.
// RUN: %cpu-device -O1 -fplugin-arg-kernix-Rkernix -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %cpu-device -O0 -fplugin-arg-kernix-Rkernix -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %cpu-device -O1 -emit-llvm -S %s -o - | FileCheck %s --check-prefix=GONE
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
// GONE-NOT: kernix.marked
// GONE-NOT: kernix.hidden
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#define I static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

#ifndef REFUSED

// Without a mark this loop keeps nothing: it adds up, and computes each t again.
BACKWARD void value(const float *x, float *y) {
  float s = 0;
  for (int k = 0; k < 100; ++k) {
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'value': this loop runs backwards{{.*}} stored: 1 value of 4 bytes, for each of at most 101 iterations: 404 bytes a thread
    [[kernix::store]] float t = sinf(x[I] * k);
    s += t * t;
  }
  y[I] = s;
}

// 300 iterations would take checkpoints.
BACKWARD void carried(const float *x, float *y) {
  [[kernix::store]] float s = 1;
  for (int k = 0; k < 300; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'carried': {{.*}} stored: 1 value of 4 bytes, for each of at most 301 iterations
    s = s * s + x[I];
  y[I] = s;
}

// 100 iterations would be stored.
BACKWARD void again(const float *x, float *y) {
  [[kernix::recompute]] float s = 1;
  for (int k = 0; k < 100; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'again': {{.*}} stored: 1 value of 4 bytes, as checkpoints
    s = s * s + x[I];
  y[I] = s;
}

BACKWARD void array(const float *x, float *y, int m) {
  [[kernix::recompute]] float a[4] = {1, 2, 3, 4};
  for (int k = 0; k < 100; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'array': {{.*}} stored: 1 local variable of 16 bytes, as checkpoints
    a[(k + m) % 4] = a[(k * m) % 4] * a[k % 4] * x[I];
  y[I] = a[0];
}

[[kernix::store]] __device__ float slow(float s) { return sinf(s) * expf(s); }
BACKWARD void result(const float *x, float *y) {
  float s = 0;
  for (int k = 0; k < 100; ++k) {
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'result': {{.*}} stored: 1 value of 4 bytes, for each of at most 101 iterations
    float t = slow(x[I] * k);
    s += t * t;
  }
  y[I] = s;
}

// The function's word is for its loops, a loop's own comes first.
[[kernix::store]] BACKWARD void all(const float *x, float *y) {
  float s = x[I];
  for (int k = 0; k < 300; ++k)
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'all': {{.*}} for each of at most 301 iterations
    s = s * s + x[I];
  [[kernix::recompute]] for (int k = 0; k < 90; ++k)
    // CHECK-DAG: :[[@LINE-1]]:25: remark: derivative of 'all': {{.*}} as checkpoints
    s = s * s + x[I];
  y[I] = s;
}

// Nothing reads t again.
BACKWARD void linear(const float *x, float *y) {
  float s = 0;
  for (int k = 0; k < 100; ++k) {
    // CHECK-DAG: :[[@LINE-1]]:3: remark: derivative of 'linear': this loop runs once more in the order of the source
    [[kernix::store]] float t = x[I] * k;
    s += t;
  }
  y[I] = s;
}

#else

BACKWARD void unbounded(const float *x, float *y, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k) {
    // REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'unbounded': {{.*}}store]] on 't' in a loop (of line [[@LINE-1]]) of which it is not known how often it runs at most; bound it with {{.*}}max_iters
    [[kernix::store]] float t = sinf(x[I] * k);
    s += t * t;
  }
  y[I] = s;
}

BACKWARD void promised(const float *x, float *y, int n) {
  [[kernix::recompute]] float s = 1;
  [[kernix::max_iters(10)]] for (int k = 0; k < n; ++k)
    // REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'promised': {{.*}}recompute]] on 's' in a loop that has {{.*}}max_iters]]: the bound is for what is stored
    s = s * s + x[I];
  y[I] = s;
}

BACKWARD void both(const float *x, float *y) {
  [[kernix::recompute]] float s = 1;
  [[kernix::store]] float t = 1;
  for (int k = 0; k < 100; ++k) {
    // REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'both': {{.*}}recompute]] on 's' in a loop and {{.*}}store]] on 't' in a loop: what an iteration starts from is kept as a whole, or not at all
    s = s * t + x[I];
    t = t * s;
  }
  y[I] = s;
}

BACKWARD void pointer(const float *x, float *y) {
  // REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'pointer': {{.*}}store]] on a reference or a pointer: it is for numbers; mark the variable that holds them
  [[kernix::store]] const float &v = x[I];
  y[I] = v * v;
}

BACKWARD void other(const float *x, float *y) {
  float s = 0;
  for (int k = 0; k < 100; ++k) {
    // REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'other': {{.*}}store]] on 't', whose value comes from an operation that has to run again, too
    [[kernix::store]] float t = __shfl_down_sync(~0u, x[I] * k, 1);
    s += t * t;
  }
  y[I] = s;
}

BACKWARD void undone(const float *x, float *y, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[I];
  __syncthreads();
  [[kernix::recompute]] for (int k = n; k > 0; k /= 2) {
    // REFUSED: error: cannot differentiate 'undone': {{.*}}recompute]] on a loop whose changes to shared memory have to be undone
    if (threadIdx.x < k)
      tile[threadIdx.x] *= tile[threadIdx.x + k];
    __syncthreads();
  }
  y[I] = tile[0];
}
#endif
