// Views that are marked no_diff, beside others: logs, and weights.
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<double>;
#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
#define THREAD int(blockIdx.x * blockDim.x + threadIdx.x)

DIFFERENTIABLE void logged(const View x, [[kernix::shape("x")]] View y,
                           [[kernix::no_diff, kernix::shape("x")]] View log) {
  if (THREAD >= x.size(0))
    return;
  log.store(THREAD, x.load(THREAD));
  y.store(THREAD, x.load(THREAD) * x.load(0));
  log.store(THREAD, 3 * x.load(THREAD)); // again
}

DIFFERENTIABLE void logged_first(const double *x, [[kernix::no_diff, kernix::shape("x")]] View log,
                                 [[kernix::shape("x")]] double *y, [[kernix::value("x.size(0)")]] int n) {
  if (THREAD >= n)
    return;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += x[THREAD] * (k + 1);
    if (sum > 1)
      log[THREAD] = sum;
  }
  y[THREAD] = sum * sum;
}

DIFFERENTIABLE void weighted([[kernix::no_diff]] const View w, const View x, [[kernix::shape("x")]] View y) {
  if (THREAD < x.size(0))
    y[THREAD] = w[THREAD] * x[THREAD] * x.load(0) + sin(w.load(THREAD));
}
