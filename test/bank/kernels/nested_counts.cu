// Outputs of which the loops of a nest count the elements together: by indices with sizes that are sums, by a pointer
// or a counter that all iterations move on, by indices that a flag chooses.
#include "bank.h"

#define PIXEL(x, y, W, H)                                                                                              \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                      \
  if (x >= W || y >= H)                                                                                                \
    return;

// bank: a in [4, 5] -1:1 | corr out [9, 4, 5] | H = 4 | W = 5 | r = 1 | @block 4,4 | @grid 2,1
KERNEL void window_of_a_radius(const T *a, T *corr, int H, int W, int r) {
  PIXEL(x, y, W, H)
  const int rd = 2 * r + 1;
  for (int iy = 0; iy < rd; ++iy)
    for (int ix = 0; ix < rd; ++ix)
      corr[((iy * rd + ix) * H + y) * W + x] = a[y * W + x] * a[(y + iy) % H * W + (x + ix) % W];
}

// bank: a in [4, 5] -1:1 | corr out [9, 4, 5] | H = 4 | W = 5 | r = 1 | @block 4,4 | @grid 2,1
KERNEL void window_around_each(const T *a, T *corr, int H, int W, int r) {
  PIXEL(x, y, W, H)
  for (int iy = -r; iy <= r; ++iy)
    for (int ix = -r; ix <= r; ++ix)
      corr[(((iy + r) * (2 * r + 1) + ix + r) * H + y) * W + x] = sin(a[y * W + x]) * (2 + iy + ix);
}

// bank: a in [20] -1:1 | corr out [20, 3, 3] | n = 20 | r = 2 | @block 8 | @grid 3
KERNEL void squares_of_each(const T *a, T *corr, int n, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  const int rd = r + 1;
  for (int i = 0; i < rd; ++i)
    for (int j = 0; j < rd; ++j)
      corr[x * rd * rd + i * rd + j] = a[x] * a[(x + i + j) % n];
}

// bank: a in [4, 5] -1:1 | corr out [9, 4, 5] | H = 4 | W = 5 | r = 1 | @block 4,4 | @grid 2,1
KERNEL void counted_window(const T *a, T *corr, int H, int W, int r) {
  PIXEL(x, y, W, H)
  int c = 0;
  for (int iy = -r; iy <= r; ++iy)
    for (int ix = -r; ix <= r; ++ix, ++c)
      corr[(c * H + y) * W + x] = a[y * W + x] * a[y * W + x] * (1 + c);
}

// bank: im in [2, 4, 5] -1:1 | data out [2, 6, 4, 5] | n = 40 | H = 4 | W = 5 | kh = 2 | kw = 3 | pad = 1 | @block 16
// bank: @grid 3
KERNEL void columns_of_windows(const T *im, T *data, int n, int H, int W, int kh, int kw, int pad) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n)
    return;
  const int row = index / W, h = row % H, w = index % W, c = row / H;
  T *col = data + (c * kh * kw * H + h) * W + w;
  for (int i = 0; i < kh; ++i)
    for (int j = 0; j < kw; ++j) {
      int y = h + i - pad, x = w + j - pad;
      *col = y >= 0 && x >= 0 && y < H && x < W ? im[(c * H + y) * W + x] * (1 + i * j) : T(0);
      col += H * W;
    }
}

// bank: x in [6, 8] -1:1 | y out [6, 8] | angle in [4] -1:1 | rows = 6 | D = 8 | flag = 0 | @block 3 | @grid 6
// bank: x in [6, 8] -1:1 | y out [6, 8] | angle in [4] -1:1 | rows = 6 | D = 8 | flag = 1 | @block 3 | @grid 6
KERNEL void rotated_either_way(const T *x, T *y, const T *angle, int rows, int D, int flag) {
  const int half = D / 2;
  const T *from = x + blockIdx.x * D;
  T *to = y + blockIdx.x * D;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const T c = cos(angle[i]), s = sin(angle[i]);
    const int first = flag ? i : 2 * i, second = flag ? i + half : 2 * i + 1;
    to[first] = from[first] * c - from[second] * s;
    to[second] = from[second] * c + from[first] * s;
  }
}

template <class T> __device__ void rotate(const T *from, T *to, int first, int second, T c, T s) {
  to[first] = from[first] * c - from[second] * s;
  to[second] = from[second] * c + from[first] * s;
}

// bank: x in [6, 8] -1:1 | y out [6, 8] | angle in [4] -1:1 | rows = 6 | D = 8 | flag = 0 | @block 3 | @grid 6
// bank: x in [6, 8] -1:1 | y out [6, 8] | angle in [4] -1:1 | rows = 6 | D = 8 | flag = 1 | @block 3 | @grid 6
KERNEL void rotated_by_branches(const T *x, T *y, const T *angle, int rows, int D, int flag) {
  const int half = D / 2;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const T c = cos(angle[i]), s = sin(angle[i]);
    if (flag)
      rotate(x + blockIdx.x * D, y + blockIdx.x * D, i, i + half, c, s);
    else
      rotate(x + blockIdx.x * D, y + blockIdx.x * D, 2 * i, 2 * i + 1, c, s);
  }
}
