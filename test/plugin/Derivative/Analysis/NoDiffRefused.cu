// Copies of memory return nothing that could be made constant.
// RUN: not %cpu-device -O1 -S %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %cuda-device -O1 -S %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void

KERNEL bytes(const double *x, double *y) {
  double v = x[threadIdx.x], c;
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'bytes': it copies memory in a way that cannot be made constant; copy number by number, or write no_diff on the variable that takes the copy
  [[kernix::no_diff]] __builtin_memcpy(&c, &v, sizeof(c));
  y[threadIdx.x] = v * c;
}

KERNEL elements(const double *x, double *y) {
  double c[2];
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'elements': it copies memory
  [[kernix::no_diff]] __builtin_memmove(c, x + 2 * threadIdx.x, sizeof(c));
  y[threadIdx.x] = c[0] * c[1];
}

struct Pair {
  double a, b;
};
KERNEL assigned(const double *x, double *y) {
  double v = x[threadIdx.x];
  Pair p{v, v}, q;
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'assigned': it copies memory
  [[kernix::no_diff]] q = p;
  y[threadIdx.x] = v * q.a;
}

__device__ Pair pair(double v) { return {v, v}; }
KERNEL chosen(const double *x, double *y) {
  double v = x[threadIdx.x];
  Pair p{v, v}, q;
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'chosen': it copies memory
  [[kernix::no_diff]] q = threadIdx.x ? p : pair(v);
  y[threadIdx.x] = v * q.a;
}

__device__ void copied(double *to, const double *from) { __builtin_memcpy(to, from, 2 * sizeof(double)); }
KERNEL in_a_function(const double *x, double *y) {
  double c[2];
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'in_a_function': it copies memory
  [[kernix::no_diff]] copied(c, x + 2 * threadIdx.x);
  y[threadIdx.x] = c[0] * c[1];
}

// Where it leads is not known, and what is stored there has been put in the place of what is read.
struct Place {
  double *p;
  int n;
};
KERNEL kept(const double *x, double *y, int k) {
  double v = x[threadIdx.x], a = 1;
  [[kernix::no_diff]] double b = 1;
  Place places[2] = {{&a, 1}, {&b, 1}};
  // CHECK: NoDiffRefused.cu:[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'kept': this may be stored where a variable is [{{\[}}kernix::no_diff]], or elsewhere, and is read again; store and read through the variable itself, or choose between the values
  *places[k].p = v;
  y[threadIdx.x] = v * *places[k].p;
}

[[kernix::no_diff]] __device__ double power(double a, int n) { return n ? a * power(a, n - 1) : a; }
KERNEL recursive(const double *x, double *y, int n) {
  double v = x[threadIdx.x];
  // CHECK: NoDiffRefused.cu:[[#@LINE-3]]:{{[0-9]+}}: error: cannot differentiate 'recursive': it calls itself: write the recursion as a loop, or give the depth as a small constant
  y[threadIdx.x] = v * power(v, n);
}
