// [[kernix::max_iters]] and [[kernix::store]] of loops that share their latches with others, or are left in the middle.
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
#define RESULT [[kernix::intent(out_return), kernix::shape("1")]] double *y

// The promise is the inner loop's alone.
DIFFERENTIABLE void inner(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  while (c < n) {
    [[kernix::max_iters(2)]] do {
      v = sin(v * x[1]) + 0.5;
      ++c;
    } while (c % 2);
  }
  y[0] = v;
}
DIFFERENTIABLE void no_loop(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  while (c < n) {
    [[kernix::max_iters(2)]] do {
      v = sin(v * x[1]) + 0.5;
      ++c;
    } while (false);
  }
  y[0] = v;
}
DIFFERENTIABLE void unrolled(const double *x, RESULT, int m, int n) {
  double v = x[0];
  for (int c = 0; c < n; ++c)
    [[kernix::max_iters(2)]] for (int k = 0; k < 2; ++k)
      v = sin(v * x[k]) + 0.5;
  y[0] = v;
}
// ... and the outer one's.
DIFFERENTIABLE void outer(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(2)]] for (;;) {
    for (;;) {
      double w = sin(v * x[1]);
      ++c;
      if (c > n)
        goto done;
      v = w + 0.5;
      if (c % 10 == 0)
        break;
    }
  }
done:
  y[0] = v;
}

// A bound is known.
DIFFERENTIABLE void stored(const double *x, RESULT, int m, int n) {
  [[kernix::store]] double v = x[0];
  int c = 0;
  [[kernix::max_iters(20)]] for (;;) {
    double w = v;
    for (int k = 0; k < m; ++k)
      w = w * 0.9 + x[k];
    if (w > 1000 || c++ == n)
      break;
    v = sin(v * w);
  }
  y[0] = v;
}
