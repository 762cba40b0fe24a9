// Cloth, contacts, fluids on lattices, particles on grids, and solvers.
#include "bank.h"

// bank: x in [6, 3] -1:1 | y out [6, 3] | rest real 0.5:1 | n = 6
KERNEL void cloth_neighbours(const T *x, T *y, DIFF T rest, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int row = i / 3, col = i % 3;
  T f[3] = {0, T(-0.1), 0};
  const int dr[4] = {-1, 1, 0, 0}, dc[4] = {0, 0, -1, 1};
  for (int e = 0; e < 4; ++e) {
    int r = row + dr[e], c = col + dc[e];
    if (r < 0 || r >= 2 || c < 0 || c >= 3)
      continue;
    int j = 3 * r + c;
    T d[3], len = T(1e-3);
    for (int k = 0; k < 3; ++k) {
      d[k] = x[3 * j + k] - x[3 * i + k];
      len += d[k] * d[k];
    }
    len = sqrt(len);
    T s = 1 - rest / len;
    if (s > 0)
      for (int k = 0; k < 3; ++k)
        f[k] += 3 * s * d[k];
  }
  for (int k = 0; k < 3; ++k)
    y[3 * i + k] = x[3 * i + k] + T(0.1) * f[k];
}

// bank: x in [n, 2] -1:1 | v in [n, 2] -1:1 | mu real 0.1:0.5 | y out [n, 2] | n = 20
KERNEL void coulomb_friction(const T *x, const T *v, DIFF T mu, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T depth = -x[2 * i + 1], vx = v[2 * i], vy = v[2 * i + 1];
  if (depth > 0) {
    T normal = 10 * depth - (vy < 0 ? vy : 0);
    T limit = mu * normal, wish = -5 * vx;
    T tangential = wish > limit ? limit : wish < -limit ? -limit : wish;
    vx += T(0.1) * tangential;
    vy += T(0.1) * normal;
  }
  y[2 * i] = vx;
  y[2 * i + 1] = vy;
}

// bank: d in [n, 5] 2:3 | e in [n, 4] -1:1 | b in [n, 5] -1:1 | y out [n, 5] | n = 12
KERNEL void thomas_solver(const T *d, const T *e, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T c[4], r[5];
  c[0] = e[4 * i] / d[5 * i];
  r[0] = b[5 * i] / d[5 * i];
  for (int k = 1; k < 5; ++k) {
    T m = d[5 * i + k] - e[4 * i + k - 1] * c[k - 1];
    if (k < 4)
      c[k] = e[4 * i + k] / m;
    r[k] = (b[5 * i + k] - e[4 * i + k - 1] * r[k - 1]) / m;
  }
  for (int k = 3; k >= 0; --k)
    r[k] -= c[k] * r[k + 1];
  for (int k = 0; k < 5; ++k)
    y[5 * i + k] = r[k];
}

// bank: f in [n, 9] 0.05:0.2 | omega real 0.8:1.2 | y out [n, 9] | n = 10
KERNEL void lattice_boltzmann_collide(const T *f, DIFF T omega, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  T rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    rho += f[9 * i + k];
    ux += cx[k] * f[9 * i + k];
    uy += cy[k] * f[9 * i + k];
  }
  ux /= rho;
  uy /= rho;
  for (int k = 0; k < 9; ++k) {
    T w = k == 0 ? T(4) / 9 : k < 5 ? T(1) / 9 : T(1) / 36, cu = cx[k] * ux + cy[k] * uy;
    T eq = w * rho * (1 + 3 * cu + T(4.5) * cu * cu - T(1.5) * (ux * ux + uy * uy));
    y[9 * i + k] = f[9 * i + k] + omega * (eq - f[9 * i + k]);
  }
}

// bank: g in [4, 4] -1:1 | p in [n, 2] 0.6:2.4 | v in [n] -1:1 | cells inout [4, 4] | n = 14
KERNEL void particle_to_grid(const T *g, const T *p, const T *v, T *cells, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T px = p[2 * i], py = p[2 * i + 1];
  int bx = int(px - T(0.5)), by = int(py - T(0.5));
  T fx = px - bx, fy = py - by;
  T wx[3] = {T(0.5) * (T(1.5) - fx) * (T(1.5) - fx), T(0.75) - (fx - 1) * (fx - 1),
             T(0.5) * (fx - T(0.5)) * (fx - T(0.5))};
  T wy[3] = {T(0.5) * (T(1.5) - fy) * (T(1.5) - fy), T(0.75) - (fy - 1) * (fy - 1),
             T(0.5) * (fy - T(0.5)) * (fy - T(0.5))};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      int at = 4 * ((by + b) & 3) + ((bx + a) & 3);
      atomicAdd(cells + at, wx[a] * wy[b] * v[i] * g[at]);
    }
}
