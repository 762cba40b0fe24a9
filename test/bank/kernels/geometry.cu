// Small matrices, rotations, projections, root finding: the inner parts of renderers and fitters.
#include "bank.h"

// bank: q in [n, 4] 0.2:1 | s in [n, 3] 0.2:1 | y out [n, 6] | n = 20
KERNEL void quaternion_to_covariance(const T *q, const T *s, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T w = q[4 * i], x = q[4 * i + 1], u = q[4 * i + 2], z = q[4 * i + 3];
  T inv = rsqrt(w * w + x * x + u * u + z * z);
  w *= inv, x *= inv, u *= inv, z *= inv;
  T r[3][3] = {{1 - 2 * (u * u + z * z), 2 * (x * u - w * z), 2 * (x * z + w * u)},
               {2 * (x * u + w * z), 1 - 2 * (x * x + z * z), 2 * (u * z - w * x)},
               {2 * (x * z - w * u), 2 * (u * z + w * x), 1 - 2 * (x * x + u * u)}};
  T m[3][3];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      m[a][b] = r[a][b] * s[3 * i + b];
  int k = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      T sum = 0;
      for (int c = 0; c < 3; ++c)
        sum += m[a][c] * m[b][c];
      y[6 * i + k++] = sum;
    }
}

// bank: p in [n, 3] -1:1 | m in [9] -1:1 | t in [3] 2:3 | y out [n, 2] | n = 20
KERNEL void pinhole_projection(const T *p, const T *m, const T *t, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T c[3];
  for (int r = 0; r < 3; ++r)
    c[r] = T(0.4) * (m[3 * r] * p[3 * i] + m[3 * r + 1] * p[3 * i + 1] + m[3 * r + 2] * p[3 * i + 2]) + t[r];
  if (c[2] < T(0.2))
    return;
  y[2 * i] = c[0] / c[2];
  y[2 * i + 1] = c[1] / c[2];
}

// bank: cov in [n, 6] 0.1:0.5 | j in [n, 6] -1:1 | y out [n, 3] | n = 20
KERNEL void projected_covariance(const T *cov, const T *j, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *c = cov + 6 * i;
  T v[3][3] = {{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}};
  T out[2][2];
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      T s = 0;
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          s += j[6 * i + 3 * a + k] * v[k][l] * j[6 * i + 3 * b + l];
      out[a][b] = s;
    }
  y[3 * i] = out[0][0];
  y[3 * i + 1] = out[0][1];
  y[3 * i + 2] = out[1][1];
}

// bank: d in [n, 3] -1:1 | sh in [n, 16] -1:1 | y out [n] | n = 16
KERNEL void spherical_harmonics_3(const T *d, const T *sh, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T x = d[3 * i], u = d[3 * i + 1], z = d[3 * i + 2] + T(1.5);
  T inv = rsqrt(x * x + u * u + z * z);
  x *= inv, u *= inv, z *= inv;
  const T *c = sh + 16 * i;
  T xx = x * x, yy = u * u, zz = z * z;
  T r = T(0.28209479) * c[0] + T(0.48860251) * (-u * c[1] + z * c[2] - x * c[3]);
  r += T(1.09254843) * (x * u * c[4] - u * z * c[5] - x * z * c[7]) + T(0.31539157) * (2 * zz - xx - yy) * c[6] +
       T(0.54627421) * (xx - yy) * c[8];
  r += -T(0.59004359) * u * (3 * xx - yy) * c[9] + T(2.89061144) * x * u * z * c[10] -
       T(0.45704579) * u * (4 * zz - xx - yy) * c[11] + T(0.37317633) * z * (2 * zz - 3 * xx - 3 * yy) * c[12] -
       T(0.45704579) * x * (4 * zz - xx - yy) * c[13] + T(1.44530572) * z * (xx - yy) * c[14] -
       T(0.59004359) * x * (xx - 3 * yy) * c[15];
  y[i] = r > T(-0.5) ? r + T(0.5) : T(0);
}

// bank: x in [n] 0.5:4 | y out [n] | n = 30
KERNEL void newton_square_root(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 8; ++k)
    v = T(0.5) * (v + x[i] / v);
  y[i] = v;
}

// bank: m in [n] 0.3:2.5 | e in [n] 0.1:0.6 | y out [n] | n = 30 | @float_tol 2e-3
KERNEL void kepler_equation(const T *m, const T *e, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = m[i];
  for (int k = 0; k < 30; ++k) {
    T step = (a - e[i] * sin(a) - m[i]) / (1 - e[i] * cos(a));
    a -= step;
    if (fabs(step) < T(1e-12))
      break;
  }
  y[i] = a;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 20
KERNEL void recurrence_64(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = x[i];
  for (int k = 0; k < 64; ++k)
    state = sin(state * T(1.1) + w[i] * T(0.1)) + T(0.01) * state;
  y[i] = state;
}

// bank: x in [n, 9] -1:1 | y out [n] | n = 20
KERNEL void determinant_3x3(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *m = x + 9 * i;
  y[i] = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// bank: x in [n, 4] 0.2:1 | y out [n, 4] | n = 20
KERNEL void inverse_2x2(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[4 * i] + 2, b = x[4 * i + 1], c = x[4 * i + 2], d = x[4 * i + 3] + 2;
  T det = a * d - b * c;
  if (det == 0)
    return;
  y[4 * i] = d / det;
  y[4 * i + 1] = -b / det;
  y[4 * i + 2] = -c / det;
  y[4 * i + 3] = a / det;
}

// bank: x in [n, 6] 0.1:0.6 | y out [n, 6] | n = 12
KERNEL void cholesky_3x3(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3][3];
  int k = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c)
      a[r][c] = x[6 * i + k++] + (r == c ? T(2) : T(0));
  for (int c = 0; c < 3; ++c) {
    for (int j = 0; j < c; ++j)
      a[c][c] -= a[c][j] * a[c][j];
    a[c][c] = sqrt(a[c][c]);
    for (int r = c + 1; r < 3; ++r) {
      for (int j = 0; j < c; ++j)
        a[r][c] -= a[r][j] * a[c][j];
      a[r][c] /= a[c][c];
    }
  }
  k = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c)
      y[6 * i + k++] = a[r][c];
}

// bank: x in [n, 3] -1:1 | y out [n, 9] | n = 12
KERNEL void rodrigues_rotation(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
  T square = a * a + b * b + c * c;
  T s, t;
  if (square < T(1e-8)) {
    s = 1 - square / 6;
    t = T(0.5) - square / 24;
  } else {
    T angle = sqrt(square);
    s = sin(angle) / angle;
    t = (1 - cos(angle)) / square;
  }
  T k[9] = {0, -c, b, c, 0, -a, -b, a, 0};
  for (int r = 0; r < 3; ++r)
    for (int q = 0; q < 3; ++q) {
      T kk = 0;
      for (int j = 0; j < 3; ++j)
        kk += k[3 * r + j] * k[3 * j + q];
      y[9 * i + 3 * r + q] = (r == q ? T(1) : T(0)) + s * k[3 * r + q] + t * kk;
    }
}

// bank: x in [n, 9] -1:1 | p in [n, 2] -0.4:0.4 | y out [n] | n = 14
KERNEL void triangle_interpolation(const T *x, const T *p, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *v = x + 9 * i;
  T ax = v[0] - 2, ay = v[1] - 2, bx = v[3] + 2, by = v[4] - 2, cx = v[6], cy = v[7] + 2;
  T area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  T u = ((bx - p[2 * i]) * (cy - p[2 * i + 1]) - (by - p[2 * i + 1]) * (cx - p[2 * i])) / area;
  T w = ((cx - p[2 * i]) * (ay - p[2 * i + 1]) - (cy - p[2 * i + 1]) * (ax - p[2 * i])) / area;
  if (u < 0 || w < 0 || u + w > 1) {
    y[i] = 0;
    return;
  }
  y[i] = u * v[2] + w * v[5] + (1 - u - w) * v[8];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
KERNEL void bisection_with_newton(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[2 * i] + 2, b = x[2 * i + 1];
  T v = 0;
  for (int k = 0; k < 12; ++k) {
    T f = a * v + v * v * v - b;
    v -= f / (a + 3 * v * v);
  }
  y[i] = v;
}

// -- several elements of an output for each thread ------------------------------------------------------------------

// bank: x in [rows,70] -1:1 | y out [rows,70] | rows = 5 | @block 32 | @grid 2
KERNEL void more_columns_than_threads(const T *x, T *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    for (int c = threadIdx.x; c < 70; c += 32)
      y[row * 70 + c] = x[row * 70 + c] * sin(x[row * 70 + c]);
}

// bank: x in [rows,columns] -1:1 | y out [rows,columns] | rows = 5 | columns = 45 | @block 32 | @grid 2
ONCE_KERNEL void softmax_of_any_columns(const T *x, T *y, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    T sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      sum += exp(x[row * columns + c]);
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[row * columns + c] = exp(x[row * columns + c]) / sum;
  }
}

// bank: x in [rows,columns] -1:1 | y out [rows,columns] | rows = 5 | columns = 45 | @block 32 | @grid 2
KERNEL void rows_by_pointers(const T *x, T *y, size_t rows, size_t columns) {
  for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *from = x + row * columns;
    T *to = y + row * columns;
    for (size_t c = threadIdx.x; c < columns; c += blockDim.x)
      to[c] = from[c] * from[columns - 1 - c];
  }
}

// bank: x in [height,width] -1:1 | y out [height,width] | height = 13 | width = 37 | @block 32,4 | @grid 2,1
KERNEL void four_rows_of_a_tile(const T *x, T *y, int height, int width) {
  const int column = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 16;
  for (int k = 0; k < 16; k += 4) {
    const int row = top + k + threadIdx.y;
    if (row >= height || column >= width)
      continue;
    y[row * width + column] = x[row * width + column] * cos(x[row * width + column]);
  }
}

// bank: x in [height,width] -1:1 | y out [width,height] | height = 13 | width = 37 | @block 16,4 | @grid 3,1
ONCE_KERNEL void transpose_by_tiles(const T *x, T *y, int height, int width) {
  __shared__ T tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  for (int k = 0; k < 16; k += 4)
    if (c < width && r + k < height)
      tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * width + c];
  __syncthreads();
  c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
  for (int k = 0; k < 16; k += 4)
    if (c < height && r + k < width)
      y[(r + k) * height + c] = tile[threadIdx.x][threadIdx.y + k] * tile[threadIdx.x][threadIdx.y + k];
}

// bank: x in [n,n] -1:1 | y out [n,n] | n = 64 | @block 16,4 | @grid 1,1
KERNEL void tile_in_registers(const T *x, T *y, int n) {
  T sum[16][4];
  for (int r = 0; r < 16; ++r)
    for (int s = 0; s < 4; ++s) {
      const int row = r * 4 + threadIdx.y, column = s * 16 + threadIdx.x;
      sum[r][s] = x[row * n + column] * x[row * n];
    }
  for (int r = 0; r < 16; ++r)
    for (int s = 0; s < 4; ++s)
      y[(r * 4 + threadIdx.y) * n + s * 16 + threadIdx.x] = sum[r][s];
}

// bank: x in [64,64] -1:1 | y out [64,64] | n = 64 | @block 16,4 | @grid 1,1
KERNEL void tile_of_constant_width(const T *x, T *y) {
#pragma unroll 1
  for (int r = 0; r < 16; ++r)
#pragma unroll 1
    for (int s = 0; s < 4; ++s) {
      const int row = blockIdx.y * 64 + r * 4 + threadIdx.y, column = blockIdx.x * 64 + s * 16 + threadIdx.x;
      y[row * 64 + column] = x[row * 64 + column] * x[row * 64];
    }
}

// bank: x in [rows,columns] -1:1 | y out [rows,columns] | rows = 7 | columns = 45 | @block 64 | @grid 2
ONCE_KERNEL void rows_of_warps(const T *x, T *y, int rows, int columns) {
  const int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warps = gridDim.x * blockDim.x / 32;
  for (int row = first; row < rows; row += warps) {
    T sum = 0;
    for (int c = lane; c < columns; c += 32)
      sum += x[row * columns + c] * x[row * columns + c];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    for (int c = lane; c < columns; c += 32)
      y[row * columns + c] = x[row * columns + c] / sqrt(sum + T(0.1));
  }
}
