// Solvers and recursions whose steps depend on the data: eigenvalues, filters, alignments, adaptive steps.
#include "bank.h"

template <class S, int R, int C = R> struct Mat {
  S d[R * C];
  __host__ __device__ S &operator()(int i, int j) { return d[i * C + j]; }
  __host__ __device__ const S &operator()(int i, int j) const { return d[i * C + j]; }
  template <int K> __host__ __device__ Mat<S, R, K> operator*(const Mat<S, C, K> &o) const {
    Mat<S, R, K> r{};
    for (int i = 0; i < R; ++i)
      for (int k = 0; k < C; ++k)
        for (int j = 0; j < K; ++j)
          r(i, j) += (*this)(i, k) * o(k, j);
    return r;
  }
  __host__ __device__ Mat<S, C, R> T() const {
    Mat<S, C, R> r;
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j)
        r(j, i) = (*this)(i, j);
    return r;
  }
  static __host__ __device__ Mat eye() {
    Mat r{};
    for (int i = 0; i < R; ++i)
      r(i, i) = S(1);
    return r;
  }
};
template <class S> __device__ void jacobi_rotate(Mat<S, 3> &A, Mat<S, 3> &V, int p, int q) {
  if (fabs(A(p, q)) < S(1e-14))
    return;
  S tau = (A(q, q) - A(p, p)) / (2 * A(p, q));
  S t = (tau >= 0 ? S(1) : S(-1)) / (fabs(tau) + sqrt(1 + tau * tau));
  S c = rsqrt(1 + t * t), s = t * c;
  for (int k = 0; k < 3; ++k) {
    S a = A(k, p), b = A(k, q);
    A(k, p) = c * a - s * b;
    A(k, q) = s * a + c * b;
  }
  for (int k = 0; k < 3; ++k) {
    S a = A(p, k), b = A(q, k);
    A(p, k) = c * a - s * b;
    A(q, k) = s * a + c * b;
  }
  for (int k = 0; k < 3; ++k) {
    S a = V(k, p), b = V(k, q);
    V(k, p) = c * a - s * b;
    V(k, q) = s * a + c * b;
  }
}

// bank: a in [n, 6] -1:1 | w out [n, 3] | v out [n, 3] | n = 8
KERNEL void jacobi_eigen3(const T *a, T *w, T *v, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Mat<T, 3> A, V = Mat<T, 3>::eye();
  const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int k = 0; k < 9; ++k)
    A.d[k] = a[6 * i + at[k]] + (k % 4 == 0 ? T(k) : T(0));
  for (int sweep = 0; sweep < 5; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        jacobi_rotate(A, V, p, q);
  T l[3] = {A(0, 0), A(1, 1), A(2, 2)};
  int idx[3] = {0, 1, 2};
  for (int x = 0; x < 2; ++x)
    for (int y = 0; y < 2 - x; ++y)
      if (l[idx[y]] > l[idx[y + 1]]) {
        int t = idx[y];
        idx[y] = idx[y + 1];
        idx[y + 1] = t;
      }
  for (int k = 0; k < 3; ++k) {
    w[3 * i + k] = l[idx[k]];
    v[3 * i + k] = V(k, idx[2]) * V(0, idx[2]);
  }
}

// bank: a in [n, 12] -1:1 | b in [n, 4] -1:1 | out out [n, 3] | n = 7
KERNEL void householder_least_squares(const T *a, const T *b, T *out, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T A[4][4];
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 3; ++c)
      A[r][c] = a[12 * i + 3 * r + c] + (r == c ? T(2) : T(0));
    A[r][3] = b[4 * i + r];
  }
  for (int k = 0; k < 3; ++k) {
    T s = 0;
    for (int r = k; r < 4; ++r)
      s += A[r][k] * A[r][k];
    T al = copysign(sqrt(s), -A[k][k]), u[4] = {}, uu = 0;
    for (int r = k; r < 4; ++r) {
      u[r] = A[r][k] - (r == k ? al : T(0));
      uu += u[r] * u[r];
    }
    for (int c = k; c < 4; ++c) {
      T d = 0;
      for (int r = k; r < 4; ++r)
        d += u[r] * A[r][c];
      d *= 2 / uu;
      for (int r = k; r < 4; ++r)
        A[r][c] -= d * u[r];
    }
  }
  T x[3];
  for (int r = 2; r >= 0; --r) {
    x[r] = A[r][3];
    for (int c = r + 1; c < 3; ++c)
      x[r] -= A[r][c] * x[c];
    x[r] /= A[r][r];
  }
  for (int r = 0; r < 3; ++r)
    out[3 * i + r] = x[r];
}

// bank: a in [n, 9] -0.5:0.5 | out out [n, 9] | n = 5
KERNEL void expm_scaling_squaring(const T *a, T *out, int n) {
  int t = thread_index();
  if (t >= n)
    return;
  Mat<T, 3> A, E = Mat<T, 3>::eye(), P = E;
  T nrm = 0;
  for (int k = 0; k < 9; ++k) {
    A.d[k] = a[9 * t + k];
    nrm += fabs(A.d[k]);
  }
  int s = 0;
  while (nrm > T(0.5)) {
    nrm *= T(0.5);
    ++s;
  }
  for (auto &v : A.d)
    v = ldexp(v, -s);
  for (int k = 1; k <= 8; ++k) {
    P = P * A;
    for (auto &v : P.d)
      v /= k;
    for (int j = 0; j < 9; ++j)
      E.d[j] += P.d[j];
  }
  while (s--)
    E = E * E;
  memcpy(out + 9 * t, E.d, sizeof(E.d));
}

// bank: x in [n, 4] 0.5:1.5 | out out [n, 4] | n = 6
KERNEL void givens_tridiagonal_ql(const T *x, T *out, int n) {
  int t = thread_index();
  if (t >= n)
    return;
  T d[4], e[4] = {T(0.3), T(0.2), T(0.1), 0};
  for (int k = 0; k < 4; ++k)
    d[k] = x[4 * t + k] + k;
  for (int l = 0; l < 4; ++l) {
    int iter = 0, m;
    do {
      for (m = l; m < 3; ++m) {
        T dd = fabs(d[m]) + fabs(d[m + 1]);
        if (fabs(e[m]) < T(1e-15) * dd)
          break;
      }
      if (m != l) {
        if (iter++ == 30)
          break;
        T g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, T(1));
        g = d[m] - d[l] + e[l] / (g + (g >= 0 ? fabs(r) : -fabs(r)));
        T s = 1, c = 1, p = 0;
        int i;
        for (i = m - 1; i >= l; --i) {
          T f = s * e[i], b = c * e[i];
          e[i + 1] = (r = hypot(f, g));
          if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            break;
          }
          s = f / r;
          c = g / r;
          g = d[i + 1] - p;
          r = (d[i] - g) * s + 2 * c * b;
          d[i + 1] = g + (p = s * r);
          g = c * r - b;
        }
        if (r == 0 && i >= l)
          continue;
        d[l] -= p;
        e[l] = g;
        e[m] = 0;
      }
    } while (m != l);
  }
  for (int k = 0; k < 4; ++k)
    out[4 * t + k] = d[k];
}

// bank: y0 in [n, 2] 0.5:1.5 | k in [2] 0.5:1.5 | y out [n, 2] | n = 6
ONCE_KERNEL void rk45_adaptive(const T *y0, const T *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T u[2] = {y0[2 * i], y0[2 * i + 1]}, t = 0, h = T(0.1);
  auto f = [&](const T(&s)[2], T(&d)[2]) {
    d[0] = s[0] * (k[0] - s[1]);
    d[1] = s[1] * (s[0] - k[1]);
  };
  int guard = 0;
  while (t < 1 && guard++ < 60) {
    if (t + h > 1)
      h = 1 - t;
    T k1[2], k2[2], k3[2], k4[2], s[2];
    f(u, k1);
    for (int j = 0; j < 2; ++j)
      s[j] = u[j] + h * k1[j] / 2;
    f(s, k2);
    for (int j = 0; j < 2; ++j)
      s[j] = u[j] + h * T(0.75) * k2[j];
    f(s, k3);
    T nu[2], err = 0;
    for (int j = 0; j < 2; ++j)
      nu[j] = u[j] + h * (2 * k1[j] + 3 * k2[j] + 4 * k3[j]) / 9;
    f(nu, k4);
    for (int j = 0; j < 2; ++j) {
      T e = h * (T(-5) / 72 * k1[j] + k2[j] / 12 + k3[j] / 9 - k4[j] / 8);
      err = fmax(err, fabs(e));
    }
    if (err <= T(1e-4)) {
      t += h;
      u[0] = nu[0];
      u[1] = nu[1];
    }
    T fac = T(0.9) * cbrt(T(1e-4) / (err + T(1e-12)));
    h *= fmin(T(3), fmax(T(0.2), fac));
  }
  y[2 * i] = u[0];
  y[2 * i + 1] = u[1];
}

// bank: x0 in [n] 0.5:1.5 | p in [3] 0.5:1.5 | y out [n] | n = 6
KERNEL void implicit_euler_newton_nest(const T *x0, const T *p, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T x = x0[i];
  const T dt = T(0.2);
  for (int s = 0; s < 7; ++s) {
    T z = x;
    for (int it = 0; it < 20; ++it) {
      T r = z - x + dt * (p[0] * z * z * z + p[1] * z - p[2] * cos(T(s) * dt)), J = 1 + dt * (3 * p[0] * z * z + p[1]),
        d = r / J;
      z -= d;
      if (fabs(d) < T(1e-13))
        break;
    }
    x = z;
  }
  y[i] = x;
}

// bank: z in [12] -1:1 | qr in [2] 0.1:0.5 | out out [3] | n = 1
KERNEL void kalman_filter_likelihood(const T *z, const T *qr, T *out, int n) {
  if (thread_index() != 0)
    return;
  T x[2] = {0, 0}, P[2][2] = {{1, 0}, {0, 1}}, ll = 0;
  const T dt = T(0.3);
  for (int k = 0; k < 12; ++k) {
    x[0] += dt * x[1];
    T p00 = P[0][0] + dt * (P[1][0] + P[0][1]) + dt * dt * P[1][1] + qr[0] * dt, p01 = P[0][1] + dt * P[1][1],
      p10 = P[1][0] + dt * P[1][1], p11 = P[1][1] + qr[0];
    T S = p00 + qr[1], v = z[k] - x[0], K0 = p00 / S, K1 = p10 / S;
    if (v * v / S > 9) {
      P[0][0] = p00;
      P[0][1] = p01;
      P[1][0] = p10;
      P[1][1] = p11;
      continue;
    }
    x[0] += K0 * v;
    x[1] += K1 * v;
    P[0][0] = (1 - K0) * p00;
    P[0][1] = (1 - K0) * p01;
    P[1][0] = p10 - K1 * p00;
    P[1][1] = p11 - K1 * p01;
    ll -= T(0.5) * (log(S) + v * v / S);
  }
  out[0] = x[0];
  out[1] = x[1];
  out[2] = ll;
}

// bank: a in [n, 2] -0.5:0.5 | y out [n, 3] | n = 5
ONCE_KERNEL void gauss_newton_backtracking(const T *a, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T x = a[2 * i], z = a[2 * i + 1];
  int rejected = 0;
  auto obj = [](T u, T v) { return (1 - u) * (1 - u) + 4 * (v - u * u) * (v - u * u); };
  for (int it = 0; it < 6; ++it) {
    T gx = -2 * (1 - x) - 16 * x * (z - x * x), gz = 8 * (z - x * x), f0 = obj(x, z), st = T(0.3);
    for (;;) {
      T f1 = obj(x - st * gx, z - st * gz);
      if (f1 < f0 - T(1e-4) * st * (gx * gx + gz * gz) || st < T(1e-3))
        break;
      st *= T(0.5);
      ++rejected;
    }
    x -= st * gx;
    z -= st * gz;
  }
  y[3 * i] = x;
  y[3 * i + 1] = z;
  y[3 * i + 2] = obj(x, z) + rejected;
}

// bank: o in [7, 3] 0.1:0.9 | A in [3, 3] 0.1:0.9 | pi in [3] 0.1:0.9 | out out [4] | n = 1
KERNEL void hmm_forward_viterbi(const T *o, const T *A, const T *pi, T *out, int n) {
  if (thread_index())
    return;
  T al[2][3], de[2][3];
  int back[7][3];
  for (int s = 0; s < 3; ++s) {
    al[0][s] = pi[s] * o[s];
    de[0][s] = log(pi[s]) + log(o[s]);
    back[0][s] = s;
  }
  T ls = 0;
  for (int t = 1; t < 7; ++t) {
    T(&p)[3] = al[(t - 1) & 1], (&c)[3] = al[t & 1], sum = 0;
    for (int s = 0; s < 3; ++s) {
      c[s] = 0;
      T best = -INFINITY;
      for (int r = 0; r < 3; ++r) {
        c[s] += p[r] * A[3 * r + s];
        T v = de[(t - 1) & 1][r] + log(A[3 * r + s]);
        if (v > best) {
          best = v;
          back[t][s] = r;
        }
      }
      c[s] *= o[3 * t + s];
      de[t & 1][s] = best + log(o[3 * t + s]);
      sum += c[s];
    }
    for (T &v : c)
      v /= sum;
    ls += log(sum);
  }
  int s = 0;
  for (int k = 1; k < 3; ++k)
    if (de[0][k] > de[0][s])
      s = k;
  out[0] = ls;
  out[1] = de[0][s];
  T path = 0;
  for (int t = 6; t > 0; s = back[t--][s])
    path = path * T(0.5) + o[3 * t + s];
  out[2] = path;
  out[3] = al[0][1];
}

// bank: lp in [6, 4] -2:-0.2 | lab in i32 [2] 1:4 | loss out [n] | n = 1
KERNEL void ctc_forward_dp(const T *lp, const int *lab, T *loss, int n) {
  if (thread_index() != 0)
    return;
  constexpr int S = 5, TT = 6;
  const T NEG = T(-1e30);
  auto lae = [](T a, T b) {
    T m = a > b ? a : b;
    return m <= T(-1e29) ? m : m + log1p(exp(-fabs(a - b)));
  };
  T al[S];
  for (T &v : al)
    v = NEG;
  al[0] = lp[0];
  al[1] = lp[lab[0]];
  for (int t = 1; t < TT; ++t) {
    T nw[S];
    for (int s = 0; s < S; ++s) {
      int c = s & 1 ? lab[s / 2] : 0;
      T v = al[s];
      if (s > 0)
        v = lae(v, al[s - 1]);
      if (s > 1 && (s & 1) && c != lab[s / 2 - 1])
        v = lae(v, al[s - 2]);
      nw[s] = v + lp[4 * t + c];
    }
    memcpy(al, nw, sizeof al);
  }
  loss[0] = -lae(al[S - 1], al[S - 2]);
}

// bank: a in [6] -1:1 | b in [7] -1:1 | loss out [n] | gam const 0.5:0.5 | n = 1
KERNEL void soft_dtw(const T *a, const T *b, T *loss, T gam, int n) {
  if (thread_index() != 0)
    return;
  T R[7][8];
  for (auto &r : R)
    for (T &v : r)
      v = T(1e10);
  R[0][0] = 0;
  for (int i = 1; i <= 6; ++i)
    for (int j = 1; j <= 7; ++j) {
      T x = -R[i - 1][j - 1] / gam, y = -R[i - 1][j] / gam, z = -R[i][j - 1] / gam, m = fmax(x, fmax(y, z));
      T d = a[i - 1] - b[j - 1];
      R[i][j] = d * d - gam * (log(exp(x - m) + exp(y - m) + exp(z - m)) + m);
    }
  loss[0] = R[6][7];
}

// bank: x in [n, 9] -1:1 | y out [n, 9] | n = 6
KERNEL void monotone_queue_window_max(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T val[9];
  int pos[9], head = 0, tail = 0;
  for (int k = 0; k < 9; ++k) {
    T v = x[9 * i + k] * x[9 * i + (k * 2) % 9];
    while (tail > head && val[tail - 1] <= v)
      --tail;
    val[tail] = v;
    pos[tail++] = k;
    if (pos[head] <= k - 3)
      ++head;
    y[9 * i + k] = val[head] + T(0.1) * v;
  }
}

// median, quickselect

// bank: x in [n, 7] -1:1 | y out [n] | n = 9
KERNEL void quickselect_median(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[7];
  for (int j = 0; j < 7; ++j)
    a[j] = x[7 * i + j] * (1 + T(0.1) * x[7 * i + (j + 1) % 7]);
  int lo = 0, hi = 6;
  while (lo < hi) {
    T piv = a[(lo + hi) / 2];
    int l = lo, h = hi;
    do {
      while (a[l] < piv)
        ++l;
      while (a[h] > piv)
        --h;
      if (l <= h) {
        T t = a[l];
        a[l] = a[h];
        a[h] = t;
        ++l;
        --h;
      }
    } while (l <= h);
    if (h < 3)
      lo = l;
    if (l > 3)
      hi = h;
  }
  y[i] = a[3] * a[3];
}

// bank: c in [5, 6] 0.1:1 | out out [2] | n = 1
KERNEL void seam_carving_min_path(const T *c, T *out, int n) {
  if (thread_index() != 0)
    return;
  T m[6];
  for (int j = 0; j < 6; ++j)
    m[j] = c[j];
  for (int i = 1; i < 5; ++i) {
    T left = m[0];
    for (int j = 0; j < 6; ++j) {
      T b = m[j];
      if (j > 0 && left < b)
        b = left;
      if (j < 5 && m[j + 1] < b)
        b = m[j + 1];
      left = m[j];
      m[j] = b + c[6 * i + j] * c[6 * i + j];
    }
  }
  T best = m[0], soft = 0;
  for (int j = 0; j < 6; ++j) {
    best = best < m[j] ? best : m[j];
    soft += exp(-m[j]);
  }
  out[0] = best;
  out[1] = -log(soft);
}
