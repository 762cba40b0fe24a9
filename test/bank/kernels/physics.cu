// Simulation and imaging kernels.
#include "bank.h"

// bank: p in [n, 3] -1:1 | m in [n] 0.5:1.5 | y out [n, 3] | n = 9
KERNEL void n_body_force(const T *p, const T *m, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i)
      continue;
    T dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
    T r = rsqrt(dx * dx + dy * dy + dz * dz + T(0.1));
    T s = m[j] * r * r * r;
    fx += dx * s;
    fy += dy * s;
    fz += dz * s;
  }
  y[3 * i] = fx * m[i];
  y[3 * i + 1] = fy * m[i];
  y[3 * i + 2] = fz * m[i];
}

// bank: x in [n, 2] -1:1 | v in [n, 2] -1:1 | k in [1] 1:3 | y out [n, 4] | n = 6 | steps = 40
KERNEL void spring_through_time(const T *x, const T *v, const T *k, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T px = x[2 * i], py = x[2 * i + 1], vx = v[2 * i], vy = v[2 * i + 1];
  const T h = T(0.05);
  for (int s = 0; s < steps; ++s) {
    T r = sqrt(px * px + py * py + T(0.01));
    T f = -k[0] * (r - 1) / r;
    vx += h * (f * px - T(0.1) * vx);
    vy += h * (f * py - T(0.1) * vy - T(0.3));
    px += h * vx;
    py += h * vy;
  }
  y[4 * i] = px;
  y[4 * i + 1] = py;
  y[4 * i + 2] = vx;
  y[4 * i + 3] = vy;
}

// bank: g in [m, 6] 0.3:0.9 | c in [m] -1:1 | y out [n] | n = 25 | m = 7
KERNEL void splat_2d(const T *g, const T *c, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T px = T(i % 5) / 5, py = T(i / 5) / 5;
  T light = 1, color = 0;
  for (int k = 0; k < m; ++k) {
    const T *p = g + 6 * k;
    T dx = px - p[0], dy = py - p[1];
    T power = -T(2) * (p[2] * dx * dx + p[3] * dy * dy) - p[4] * dx * dy;
    if (power > 0)
      continue;
    T alpha = p[5] * exp(power);
    if (alpha < T(1) / 255)
      continue;
    T next = light * (1 - alpha);
    if (next < T(1e-4))
      break;
    color += c[k] * alpha * light;
    light = next;
  }
  y[i] = color + light * T(0.1);
}

// bank: x in [h, w] -1:1 | k in [1] 0.05:0.2 | y out [h, w] | h = 6 | w = 7 | @threads h * w
KERNEL void heat_stencil(const T *x, const T *k, T *y, int h, int w) {
  int i = thread_index();
  if (i >= h * w)
    return;
  int r = i / w, c = i % w;
  T center = x[i];
  T left = c > 0 ? x[i - 1] : center, right = c + 1 < w ? x[i + 1] : center;
  T up = r > 0 ? x[i - w] : center, down = r + 1 < h ? x[i + w] : center;
  y[i] = center + k[0] * (left + right + up + down - 4 * center);
}

// bank: v in [n] -1:1 | col in i32 [n] 0:8 | start in rowptr [9] | x in [8] -1:1 | y out [8] | n = 30 | @threads 8
KERNEL void csr_spmv(const T *v, const int *col, const int *start, const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= 8)
    return;
  T s = 0;
  for (int k = start[i]; k < start[i + 1]; ++k)
    s += v[k] * x[col[k]];
  y[i] = s;
}

// bank: x in [n] 0.2:1 | k in [4] 0.1:0.9 | y out [n] | n = 10
KERNEL void runge_kutta_4(const T *x, const T *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto f = [&](T v, T t) { return k[0] * v * (1 - k[1] * v) + k[2] * sin(t * k[3]); };
  T v = x[i], t = 0;
  const T h = T(0.1);
  for (int s = 0; s < 15; ++s, t += h) {
    T a = f(v, t), b = f(v + h / 2 * a, t + h / 2), c = f(v + h / 2 * b, t + h / 2), d = f(v + h * c, t + h);
    v += h / 6 * (a + 2 * b + 2 * c + d);
  }
  y[i] = v;
}

// bank: x in [n, 2] 0.5:1.5 | p in [4] 0.2:0.8 | y out [n, 2] | n = 6 | steps = 150
KERNEL void predator_prey(const T *x, const T *p, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[2 * i], b = x[2 * i + 1];
  for (int s = 0; s < steps; ++s) {
    T da = p[0] * a - p[1] * a * b, db = p[2] * a * b - p[3] * b;
    a += T(0.02) * da;
    b += T(0.02) * db;
  }
  y[2 * i] = a;
  y[2 * i + 1] = b;
}

// bank: x in [n, 2] 0.2:0.8 | y out [n, 2] | n = 8 | steps = 30
KERNEL void bouncing_particle(const T *x, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T p = x[2 * i] + T(0.3), v = x[2 * i + 1];
  for (int s = 0; s < steps; ++s) {
    v -= T(0.05);
    p += v * T(0.05);
    if (p < 0) {
      p = -p * T(0.8);
      v = -v * T(0.8);
    }
  }
  y[2 * i] = p;
  y[2 * i + 1] = v;
}

// bank: x in [n, 8] 0.1:1 | y out [n] | n = 8
KERNEL void volume_rendering(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T through = 1, light = 0;
  for (int k = 0; k < 8; ++k) {
    T alpha = 1 - exp(-x[8 * i + k] * T(0.3));
    light += through * alpha * (k + 1);
    through *= 1 - alpha;
    if (through < T(0.2))
      break;
  }
  y[i] = light;
}

// bank: c in [2] -0.3:0.3 | z in [n, 2] -0.5:0.5 | y out [n] | n = 12
KERNEL void escape_iteration(const T *c, const T *z, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = z[2 * i], b = z[2 * i + 1];
  int k = 0;
  while (a * a + b * b < 4 && k < 9) {
    T t = a * a - b * b + c[0];
    b = 2 * a * b + c[1];
    a = t;
    ++k;
  }
  y[i] = a * a + b * b + k;
}

// bank: x in [h, w] -1:1 | y out [h, w] | h = 6 | w = 6 | @threads 36
KERNEL void bilateral_filter(const T *x, T *y, int h, int w) {
  int i = thread_index();
  if (i >= h * w)
    return;
  int r = i / w, c = i % w;
  T sum = 0, weights = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc) {
      int rr = r + dr, cc = c + dc;
      if (rr < 0 || rr >= h || cc < 0 || cc >= w)
        continue;
      T v = x[rr * w + cc], d = v - x[i];
      T weight = exp(-d * d * 2 - T(0.3) * (dr * dr + dc * dc));
      sum += weight * v;
      weights += weight;
    }
  y[i] = sum / weights;
}

// bank: x in [n] -1:1 | w in [5] -1:1 | y out [n] | n = 16
KERNEL void upwind_advection(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T speed = w[i % 5];
  T slope = speed > 0 ? x[i] - x[(i + n - 1) % n] : x[(i + 1) % n] - x[i];
  y[i] = x[i] - T(0.4) * speed * slope;
}
