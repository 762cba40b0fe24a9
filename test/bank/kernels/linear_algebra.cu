// Small matrices in registers, complex numbers, polynomials.
#include "bank.h"

template <class T, int N> struct Matrix {
  T m[N][N];
  __device__ T *operator[](int row) { return m[row]; }
  __device__ const T *operator[](int row) const { return m[row]; }
  __device__ Matrix operator*(const Matrix &o) const {
    Matrix r{};
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k)
          r[i][j] += m[i][k] * o[k][j];
    return r;
  }
  __device__ Matrix transposed() const {
    Matrix r;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        r[j][i] = m[i][j];
    return r;
  }
};

// bank: x in [n, 6] -1:1 | y out [n, 3] | n = 20 | @float_tol 2e-2
KERNEL void eigenvalues_by_jacobi(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *p = x + 6 * i;
  Matrix<T, 3> a{{{p[0] + 3, p[1], p[2]}, {p[1], p[3], p[4]}, {p[2], p[4], p[5] - 3}}};
  for (int sweep = 0; sweep < 4; ++sweep)
    for (int r = 0; r < 2; ++r)
      for (int s = r + 1; s < 3; ++s) {
        if (fabs(a[r][s]) < T(1e-9))
          continue;
        T theta = (a[s][s] - a[r][r]) / (2 * a[r][s]);
        T t = (theta >= 0 ? T(1) : T(-1)) / (fabs(theta) + sqrt(theta * theta + 1));
        T c = rsqrt(t * t + 1), sn = t * c;
        for (int k = 0; k < 3; ++k) {
          T u = a[k][r], v = a[k][s];
          a[k][r] = c * u - sn * v;
          a[k][s] = sn * u + c * v;
        }
        for (int k = 0; k < 3; ++k) {
          T u = a[r][k], v = a[s][k];
          a[r][k] = c * u - sn * v;
          a[s][k] = sn * u + c * v;
        }
      }
  for (int k = 0; k < 3; ++k)
    y[3 * i + k] = a[k][k];
}

// bank: x in [n, 9] -0.5:0.5 | y out [n] | n = 16 | @float_tol 2e-2
KERNEL void singular_values_3x3(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Matrix<T, 3> a;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      a[r][c] = x[9 * i + 3 * r + c] + (r == c ? T(1.5 + r) : T(0));
  Matrix<T, 3> b = a.transposed() * a;
  // Closed form of a symmetric matrix' eigenvalues.
  T q = (b[0][0] + b[1][1] + b[2][2]) / 3;
  T p1 = b[0][1] * b[0][1] + b[0][2] * b[0][2] + b[1][2] * b[1][2];
  T p2 = (b[0][0] - q) * (b[0][0] - q) + (b[1][1] - q) * (b[1][1] - q) + (b[2][2] - q) * (b[2][2] - q) + 2 * p1;
  T p = sqrt(p2 / 6);
  Matrix<T, 3> c = b;
  for (int k = 0; k < 3; ++k)
    c[k][k] -= q;
  T det = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) - c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
          c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
  T r = fmin(fmax(det / (2 * p * p * p), T(-0.999)), T(0.999)), phi = acos(r) / 3;
  y[i] = sqrt(q + 2 * p * cos(phi)) - sqrt(q + 2 * p * cos(phi + T(2.0943951023931953)));
}

// bank: x in [n, 9] -1:1 | y out [n, 9] | n = 12 | @float_tol 1e-2
KERNEL void inverse_3x3(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[9];
  for (int k = 0; k < 9; ++k)
    a[k] = x[9 * i + k] + (k % 4 == 0 ? T(2.5) : T(0));
  T c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
  T s = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
  T r[9] = {c0, a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
            c1, a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
            c2, a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
  for (int k = 0; k < 9; ++k)
    y[9 * i + k] = r[k] * s;
}

// bank: x in [n, 16] -1:1 | b in [n, 4] -1:1 | y out [n, 4] | n = 12 | @float_tol 1e-2
KERNEL void solve_by_pivoted_lu(const T *x, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4][4], v[4];
  int order[4];
  for (int r = 0; r < 4; ++r) {
    order[r] = r;
    v[r] = b[4 * i + r];
    for (int c = 0; c < 4; ++c)
      a[r][c] = x[16 * i + 4 * r + c] + (c == (r + 1) % 4 ? T(2) : T(0));
  }
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    for (int r = k + 1; r < 4; ++r)
      if (fabs(a[order[r]][k]) > fabs(a[order[pivot]][k]))
        pivot = r;
    std::swap(order[k], order[pivot]);
    for (int r = k + 1; r < 4; ++r) {
      T f = a[order[r]][k] / a[order[k]][k];
      for (int c = k; c < 4; ++c)
        a[order[r]][c] -= f * a[order[k]][c];
      v[order[r]] -= f * v[order[k]];
    }
  }
  T solution[4];
  for (int k = 3; k >= 0; --k) {
    T sum = v[order[k]];
    for (int c = k + 1; c < 4; ++c)
      sum -= a[order[k]][c] * solution[c];
    solution[k] = sum / a[order[k]][k];
  }
  for (int k = 0; k < 4; ++k)
    y[4 * i + k] = solution[k];
}

// bank: x in [n, 12] -1:1 | y out [n, 3] | n = 16
ONCE_KERNEL void gram_schmidt(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T q[3][4];
  for (int r = 0; r < 3; ++r) {
    T v[4];
    for (int c = 0; c < 4; ++c)
      v[c] = x[12 * i + 4 * r + c] + (r == c ? T(2) : T(0));
    for (int p = 0; p < r; ++p) {
      T d = 0;
      for (int c = 0; c < 4; ++c)
        d += v[c] * q[p][c];
      for (int c = 0; c < 4; ++c)
        v[c] -= d * q[p][c];
    }
    T norm = 0;
    for (T c : v)
      norm += c * c;
    norm = sqrt(norm);
    for (int c = 0; c < 4; ++c)
      q[r][c] = v[c] / norm;
    y[3 * i + r] = norm + q[r][3];
  }
}

// bank: x in [n, 4] -0.6:0.6 | y out [n, 4] | n = 16
KERNEL void matrix_exponential(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Matrix<T, 2> a{{{x[4 * i], x[4 * i + 1]}, {x[4 * i + 2], x[4 * i + 3]}}}, sum{{{1, 0}, {0, 1}}}, term = sum;
  for (int k = 1; k < 10; ++k) {
    term = term * a;
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) {
        term[r][c] /= T(k);
        sum[r][c] += term[r][c];
      }
  }
  // Squared a number of times that the data says.
  for (T size = fabs(x[4 * i]); size > T(0.2); size /= 2)
    sum = sum * sum;
  for (int k = 0; k < 4; ++k)
    y[4 * i + k] = sum[k / 2][k % 2];
}

// bank: d in [n, m] 3:4 | e in [n, m] -1:1 | b in [n, m] -1:1 | y out [n, m] | n = 8 | m = 7
KERNEL void tridiagonal_system(const T *d, const T *e, const T *b, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T c[8], r[8];
  d += i * m, e += i * m, b += i * m, y += i * m;
  c[0] = e[0] / d[0];
  r[0] = b[0] / d[0];
  for (int k = 1; k < m; ++k) {
    T s = 1 / (d[k] - e[k - 1] * c[k - 1]);
    c[k] = e[k] * s;
    r[k] = (b[k] - e[k - 1] * r[k - 1]) * s;
  }
  T last = r[m - 1];
  y[m - 1] = last;
  for (int k = m - 2; k >= 0; --k) {
    last = r[k] - c[k] * last;
    y[k] = last;
  }
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 16
KERNEL void power_iteration(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[4 * i] + 3, b = x[4 * i + 1], c = x[4 * i + 2], d = x[4 * i + 3];
  T u = 1, v = T(0.3), value = 0;
  for (int k = 0; k < 12; ++k) {
    T p = a * u + b * v, q = c * u + d * v, norm = sqrt(p * p + q * q);
    u = p / norm;
    v = q / norm;
    value = norm;
  }
  y[i] = value;
}

template <class T> struct Complex {
  T re, im;
  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator/(Complex o) const {
    T s = o.re * o.re + o.im * o.im;
    return {(re * o.re + im * o.im) / s, (im * o.re - re * o.im) / s};
  }
  __device__ T magnitude() const { return hypot(re, im); }
};

// bank: x in [n, 8] -1:1 | y out [n, 8] | n = 16
KERNEL void fourier_transform_of_eight(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Complex<T> a[8];
  for (int k = 0; k < 8; ++k) {
    int reversed = (k & 1) << 2 | (k & 2) | k >> 2;
    a[reversed] = {x[8 * i + k], 0};
  }
  for (int size = 2; size <= 8; size *= 2)
    for (int start = 0; start < 8; start += size)
      for (int k = 0; k < size / 2; ++k) {
        T angle = T(-6.283185307179586) * k / size;
        Complex<T> w{cos(angle), sin(angle)}, odd = w * a[start + k + size / 2], even = a[start + k];
        a[start + k] = even + odd;
        a[start + k + size / 2] = even + odd * Complex<T>{-1, 0};
      }
  for (int k = 0; k < 8; ++k)
    y[8 * i + k] = a[k].re * a[k].re + a[k].im * a[k].im;
}

// bank: x in [n, 4] -1:1 | y out [n, 2] | n = 24
KERNEL void complex_newton(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Complex<T> z{x[4 * i] + 2, x[4 * i + 1] + T(0.5)}, c{x[4 * i + 2] - 1, x[4 * i + 3]};
  for (int k = 0; k < 6; ++k) {
    Complex<T> f = z * z * z + c, d = Complex<T>{3, 0} * z * z;
    z = z + Complex<T>{-1, 0} * (f / d);
    if (f.magnitude() < T(1e-7))
      break;
  }
  y[2 * i] = z.re;
  y[2 * i + 1] = z.im;
}

// bank: x in [n, 3] -1:1 | y out [n] | n = 40 | @float_tol 5e-2
KERNEL void cubic_equation(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[3 * i], b = 2 * x[3 * i + 1], c = 2 * x[3 * i + 2];
  T p = b - a * a / 3, q = 2 * a * a * a / 27 - a * b / 3 + c, d = q * q / 4 + p * p * p / 27;
  T root;
  if (d > T(1e-3)) {
    T s = sqrt(d);
    T u = q > 0 ? -cbrt(q / 2 + s) : cbrt(s - q / 2); // the one that does not cancel
    root = u - p / (3 * u);
  } else if (d < T(-1e-3)) {
    T r = sqrt(-p * p * p / 27);
    root = 2 * cbrt(r) * cos(acos(fmin(fmax(-q / (2 * r), T(-0.999)), T(0.999))) / 3);
  } else {
    root = p;
  }
  y[i] = root - a / 3;
}

// bank: x in [n] -0.95:0.95 | c in [8] -1:1 | y out [n, 2] | n = 30
KERNEL void chebyshev_by_clenshaw(const T *x, const T *c, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T b1 = 0, b2 = 0;
  for (int k = 7; k > 0; --k) {
    T b = 2 * x[i] * b1 - b2 + c[k];
    b2 = b1;
    b1 = b;
  }
  T p0 = 1, p1 = x[i];
  for (int k = 2; k < 6; ++k) {
    T p = ((2 * k - 1) * x[i] * p1 - (k - 1) * p0) / k;
    p0 = p1;
    p1 = p;
  }
  y[2 * i] = x[i] * b1 - b2 + c[0];
  y[2 * i + 1] = p1;
}

// bank: x in [n, 6] -2:2 | y out [n, 6] | n = 30
KERNEL void sorting_network(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[6];
  for (int k = 0; k < 6; ++k)
    v[k] = x[6 * i + k];
  constexpr int pairs[12][2] = {{0, 5}, {1, 3}, {2, 4}, {1, 2}, {3, 4}, {0, 3},
                                {2, 5}, {0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}};
  for (auto &[a, b] : pairs)
    if (v[a] > v[b])
      std::swap(v[a], v[b]);
  for (int k = 0; k < 6; ++k)
    y[6 * i + k] = v[k] * (k + 1);
}

// bank: x in [n, 7] -2:2 | y out [n] | n = 30
KERNEL void median_by_insertion(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[7];
  for (int k = 0; k < 7; ++k) {
    T moved = x[7 * i + k];
    int at = k;
    while (at > 0 && v[at - 1] > moved) {
      v[at] = v[at - 1];
      --at;
    }
    v[at] = moved;
  }
  y[i] = v[3] * v[3];
}
