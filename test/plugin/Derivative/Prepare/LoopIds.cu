// What the source says of a loop stays with it where passes fold its empty latch into another loop's.
// RUN: %cpu-device -O1 -fplugin-arg-kernix-Rkernix -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

BACKWARD void ofTheInner(const float *x, float *y, int n) {
  float s = x[0];
  int c = 0;
  while (c < n) {
    [[kernix::max_iters(2)]] do {
      s = s * s + x[1];
      ++c;
    } while (c % 2);
  }
  y[0] = s;
}
// CHECK: derivative of 'ofTheInner': this loop runs backwards{{.*}} stored: 2 values of 8 bytes, as checkpoints on 4 levels
// CHECK: derivative of 'ofTheInner': this loop runs backwards{{.*}} stored: 1 value of 4 bytes, for each of at most 2 iterations

BACKWARD void ofTheOuter(const float *x, float *y, int n) {
  float s = x[0];
  int c = 0;
  [[kernix::max_iters(2)]] for (;;) {
    for (;;) {
      float w = s * s + x[1];
      if (++c > n)
        goto done;
      s = w + 1;
      if (c % 10 == 0)
        break;
    }
  }
done:
  y[0] = s;
}
// CHECK: derivative of 'ofTheOuter': this loop runs backwards{{.*}} stored: 2 values of 8 bytes, for each of at most 3 iterations
// CHECK: derivative of 'ofTheOuter': this loop runs backwards{{.*}} stored: 1 value of 4 bytes, as checkpoints on 4 levels
