// [[kernix::max_iters]] and [[kernix::store]] of loops that share their latches with others, or are left in the middle.
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
#define RESULT [[kernix::intent(out_return), kernix::shape("1")]] double *y

__device__ double norm(const double *a, int m) {
  double s = 0;
  for (int k = 0; k < m; ++k)
    s += a[k] * a[k];
  return sqrt(s);
}

// Loops that run n times, of which 6 are promised.
DIFFERENTIABLE void at_the_top(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(6)]] while (v * norm(x, m) > -100 && c < n) {
    v = sin(v);
    ++c;
  }
  y[0] = v;
}
DIFFERENTIABLE void in_the_middle(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(6)]] while (true) {
    double w = norm(x, m);
    if (c == n || w < 0)
      break;
    v = sin(v * w);
    ++c;
  }
  y[0] = v;
}
DIFFERENTIABLE void behind_a_loop(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(6)]] for (;;) {
    double w = v;
    for (int k = 0; k < m; ++k)
      w = w * 0.9 + x[k];
    if (c == n)
      break;
    v = sin(v * w);
    ++c;
  }
  y[0] = v;
}
DIFFERENTIABLE void at_the_end(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(6)]] do {
    double w = v;
    for (int k = 0; k < m; ++k)
      w = w * 0.9 + x[k];
    v = sin(v * w);
    ++c;
  } while (c < n);
  y[0] = v;
}
DIFFERENTIABLE void continued(const double *x, RESULT, int m, int n) {
  double v = x[0];
  int c = 0;
  [[kernix::max_iters(6)]] while (c < n) {
    double w = v;
    for (int k = 0; k < m; ++k) {
      w = w * 0.9 + x[k];
      if (w > 100)
        break;
    }
    v = sin(v * w);
    ++c;
    if (v > 9)
      continue;
    v += 0.1;
  }
  y[0] = v;
}

// The promise is the inner loop's alone.
template <bool Repeats> __device__ double within_a_loop(const double *x, int n) {
  double v = x[0];
  int c = 0;
  while (c < n) {
    [[kernix::max_iters(2)]] do {
      v = sin(v * x[1]) + 0.5;
      ++c;
    } while (Repeats && c % 2);
  }
  return v;
}
DIFFERENTIABLE void inner(const double *x, RESULT, int m, int n) { y[0] = within_a_loop<true>(x, n); }
DIFFERENTIABLE void no_loop(const double *x, RESULT, int m, int n) { y[0] = within_a_loop<false>(x, n); }
DIFFERENTIABLE void unrolled(const double *x, RESULT, int m, int n) {
  double v = x[0];
  for (int c = 0; c < n; ++c) [[kernix::max_iters(2)]]
    for (int k = 0; k < 2; ++k)
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
