// Annotated statements that have no place in debug information.
// RUN: %python %S/Inputs/long_lines.py > %t.cu
// RUN: not %cuda-host -fsyntax-only %t.cu 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: :2:70070: error: 'kernix::no_diff' cannot speak of what stands here, behind column 65535 of its line; write shorter lines
// COLUMNS: :3:70058: error: 'kernix::max_iters' cannot speak of
// COLUMNS: :4:70053: error: 'kernix::store' cannot speak of
// COLUMNS: 3 errors generated
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
#define FORCE __attribute__((always_inline, nodebug)) inline

FORCE __device__ float late(float x, int n) {
  for (int k = 0; k < n; ++k)
    x *= 0.5f;
  return x;
}
// CHECK: :[[@LINE+1]]:3: error: 'kernix::recompute' comes too late for the loops of 'late', which is defined with 'nodebug' before; write it on the definition
[[kernix::recompute]] __device__ float late(float x, int n);

template <class T> FORCE __device__ T late_template(T x, int n) {
  for (int k = 0; k < n; ++k)
    x *= 0.5f;
  return x;
}
// CHECK: :[[@LINE+1]]:22: error: 'kernix::recompute' comes too late for the loops of 'late_template'
template <class T> [[kernix::recompute]] __device__ T late_template(T x, int n);

// On a declaration before it, or on the definition itself, it does not.
[[kernix::recompute]] __device__ float early(float x, int n);
FORCE __device__ float early(float x, int n) {
  for (int k = 0; k < n; ++k)
    x *= 0.5f;
  return x;
}
template <class T> [[kernix::recompute]] FORCE __device__ T of_template(T x, int n) {
  for (int k = 0; k < n; ++k)
    x *= 0.5f;
  return x;
}
struct Class {
  [[kernix::recompute]] friend FORCE __device__ float of_friend(Class, float x, int n) {
    for (int k = 0; k < n; ++k)
      x *= 0.5f;
    return x;
  }
};
[[kernix::store]] FORCE __device__ float without_loops(float x) { return x; }
// CHECK: 2 errors generated
