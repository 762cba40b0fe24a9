// A mass on a spring that swings in a plane under gravity and friction, through many time steps.

#include <kernix/kernix.h>

/// Where each mass is after `steps` steps of `h` seconds, from its place and velocity (x, y, vx, vy) at the start.
[[kernix::bind, kernix::differentiable]]
__global__ void swing(const double *start, [[kernix::shape("start.size(0)", "2")]] double *end,
                      [[kernix::value("start.size(0)")]] int n, int steps, double h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = start[4 * i], y = start[4 * i + 1], vx = start[4 * i + 2], vy = start[4 * i + 3];
  for (int k = 0; k < steps; ++k) {
    const double length = sqrt(x * x + y * y);
    const double pull = -20 * (length - 1) / length;
    vx += h * (pull * x - 0.1 * vx);
    vy += h * (pull * y - 0.1 * vy - 9.81);
    x += h * vx;
    y += h * vy;
  }
  end[2 * i] = x;
  end[2 * i + 1] = y;
}
