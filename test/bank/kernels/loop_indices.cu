// Tensors that a loop works through as if they had one dimension: indices are quotients and remainders of its counter.
#include "bank.h"

#define FOR_EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// bank: x in [n] -1:1 | y out [n] | n = 120 | C = 3 | H = 4 | W = 5 | @block 16 | @grid 2
KERNEL void channels_to_last(const T *x, T *y, int n, int C, int H, int W) {
  FOR_EACH(i, n) {
    int w = i % W, h = i / W % H, c = i / (W * H) % C, b = i / (W * H * C);
    y[((b * H + h) * W + w) * C + c] = x[i] * x[i];
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 120 | C = 3 | size = 20 | @block 16 | @grid 2
KERNEL void channels_from_last(const T *x, T *y, unsigned n, unsigned C, unsigned size) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned rest = i % (C * size), b = i / (C * size), c = rest % C, p = rest / C;
    y[(b * C + c) * size + p] = sin(x[i]);
  }
}

// bank: x in [2, 5, 6] -1:1 | y out [2, 9, 5, 6] | n = 60 | H = 5 | W = 6 | @block 16 | @grid 2
KERNEL void image_to_columns(const T *x, T *y, int n, int H, int W) {
  FOR_EACH(i, n) {
    int w = i % W, h = i / W % H, c = i / W / H;
    T *column = y + (c * 9 * H + h) * W + w;
    for (int k = 0; k < 9; ++k) {
      int a = h + k / 3 - 1, b = w + k % 3 - 1;
      *column = a >= 0 && b >= 0 && a < H && b < W ? x[(c * H + a) * W + b] * x[i] : T(0);
      column += H * W;
    }
  }
}

// bank: x in [n] -1:1 | y out [4 * n] | n = 30 | H = 5 | W = 3 | @block 8 | @grid 2
KERNEL void upsampled(const T *x, T *y, int n, int H, int W) {
  FOR_EACH(i, n) {
    int w = i % W, h = i / W % H, c = i / (W * H);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        y[(c * 2 * H + 2 * h + a) * 2 * W + 2 * w + b] = x[i] * (a + b + x[i]);
  }
}

// Rotary embeddings, in halves of a row.
// bank: x in [2 * n] -1:1 | angle in [half] -1:1 | y out [2 * n] | n = 60 | half = 5 | @block 16 | @grid 2
KERNEL void rotated_halves(const T *x, const T *angle, T *y, int n, int half) {
  FOR_EACH(i, n) {
    int d = i % half, row = i / half;
    T a = x[row * 2 * half + d], b = x[row * 2 * half + half + d], s = sin(angle[d] * row), c = cos(angle[d] * row);
    y[row * 2 * half + d] = a * c - b * s;
    y[row * 2 * half + half + d] = a * s + b * c;
  }
}

// bank: x in [n] -1:1 | y out [b, C, W] | n = 40 | b = 8 | W = 5 | C = 3 | at = 1 | @block 16 | @grid 2
KERNEL void into_a_channel(const T *x, T *y, int n, int W, int C, int at) {
  FOR_EACH(i, n)
  y[(i / W * C + at) * W + i % W] = exp(x[i]);
}

// bank: x in [n] -1:1 | y out [n] | n = 120 | H = 24 | W = 5 | @block 16 | @grid 2
KERNEL void transposed_flat(const T *x, T *y, int n, int H, int W) {
  FOR_EACH(i, n)
  y[i % W * H + i / W] = x[i] * x[i];
}

// bank: x in [n] -1:1 | y out [20 * n] | n = 12 | m = 9
KERNEL void unsigned_counter_down(const T *x, T *y, int n, unsigned m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (unsigned k = m; k-- > 0;) {
    y[i * 20 + k * 2] = v;
    y[i * 20 + k * 2 + 1] = v * v;
    v = sin(v + T(0.1));
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 70 | @block 16 | @grid 2
KERNEL void ends_of_a_stencil(const T *x, T *y, int n) {
  FOR_EACH(i, n) {
    if (i == 0) {
      y[i] = x[0] * T(3);
      continue;
    }
    if (i == n - 1)
      y[i] = x[i] * x[0];
    else
      y[i] = x[i - 1] * x[i + 1];
  }
}

// Each thread has a part of its own.
// bank: x in [n] -1:1 | y out [n] | n = 70 | part = 5 | @block 8 | @grid 2
KERNEL void parts_of_threads(const T *x, T *y, int n, int part) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * part;
  for (int i = start; i < min(start + part, n); ++i)
    y[i] = x[i] * x[n - 1 - i];
}

// bank: x in [n] -1:1 | y out [n] | n = 60 | H = 12 | W = 5 | part = 7 | @block 4 | @grid 3
KERNEL void transposed_by_parts(const T *x, T *y, int n, int H, int W, int part) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * part, end = min(H * W, start + part);
  for (int i = start; i < end; ++i)
    y[i % W * H + i / W] = x[i] * x[n - 1 - i];
}

// As many for each as there are threads, or blocks, for.
// bank: x in [n] -1:1 | y out [n] | n = 60 | H = 12 | W = 5 | @block 4 | @grid 2
KERNEL void transposed_by_parts_of_a_launch(const T *x, T *y, int n, int H, int W) {
  int threads = gridDim.x * blockDim.x, part = (H * W + threads - 1) / threads;
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * part, end = min(H * W, start + part);
  for (int i = start; i < end; ++i)
    y[i % W * H + i / W] = x[i] * x[n - 1 - i];
}

// bank: x in [n] -1:1 | y out [n] | n = 60 | H = 12 | W = 5 | part = 22 | @block 4 | @grid 3
KERNEL void transposed_by_parts_of_blocks(const T *x, T *y, int n, int H, int W, int part) {
  int start = blockIdx.x * part, end = min(start + part, H * W);
  for (int i = start + threadIdx.x; i < end; i += blockDim.x)
    y[i % W * H + i / W] = x[i] * x[n - 1 - i];
}

// bank: x in [16 * rows] -1:1 | y out [16 * rows] | rows = 9 | @block 64 | @grid 2
KERNEL void two_rows_for_a_warp(const T *x, T *y, int rows) {
  int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  for (int pair = warp; pair < (rows + 1) / 2; pair += (gridDim.x * blockDim.x) >> 5) {
    int row = 2 * pair + (lane >> 4), c = lane & 15;
    if (row < rows)
      y[row * 16 + c] = x[row * 16 + c] * x[c];
  }
}
