// Staged elements that all threads of a block, or all of a row, read in one iteration of a loop: their gradients are
// sums over lanes. Loops that threads leave at different times; blocks whose last warp is not whole; narrow rows.
#include "bank.h"

// bank: x in [n] -1:1 | w in [40, 3] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void weights_of_all(const T *x, const T *w, T *y, int n) {
  __shared__ T staged[40][3];
  for (int k = threadIdx.x; k < 120; k += blockDim.x)
    staged[k / 3][k % 3] = w[k];
  __syncthreads();
  int i = thread_index();
  T sum = 0;
  for (int k = 0; k < 40; ++k)
    sum += staged[k][0] * sin(x[i] * staged[k][1] + staged[k][2]);
  y[i] = sum;
}

// Eleven elements of each iteration: groups of eight, two and one.
// bank: x in [n] -1:1 | w in [66] -1:1 | y out [n] | n = 64 | count = 6 | @block 32 | @grid 2
ONCE_KERNEL void many_weights_of_all(const T *x, const T *w, T *y, int n, int count) {
  __shared__ T staged[66];
  for (int k = threadIdx.x; k < 66; k += blockDim.x)
    staged[k] = w[k];
  __syncthreads();
  int i = thread_index();
  T sum = 0;
  for (int k = 0; k < count; ++k) {
    const T *of = staged + 11 * k;
    T v = x[i] + T(k) / 4;
    v = v * T(0.5) + sin(of[0] * v) + of[1];
    v = v * of[2] + sin(of[3] * v) + of[4];
    v = v * of[5] + sin(of[6] * v) + of[7];
    sum += v * of[8] + sin(of[9] * v) + of[10];
  }
  y[i] = sum;
}

// The last warp has eight threads.
// bank: x in [n] -1:1 | w in [24] -1:1 | y out [n] | n = 80 | @block 40 | @grid 2
ONCE_KERNEL void weights_of_part_of_a_warp(const T *x, const T *w, T *y, int n) {
  __shared__ T staged[24];
  if (threadIdx.x < 24)
    staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T product = 1;
  for (int k = 0; k < 24; ++k)
    product *= T(1) + staged[k] * x[thread_index()] / 8;
  y[thread_index()] = product;
}

// Each thread has a number of iterations of its own, which may be none.
// bank: x in [n] -1:1 | w in [48] -1:1 | length in i32 [n] 0:48 | y out [n] | n = 128 | @block 64 | @grid 2
ONCE_KERNEL void lengths_of_their_own(const T *x, const T *w, const int *length, T *y, int n) {
  __shared__ T staged[48];
  for (int k = threadIdx.x; k < 48; k += blockDim.x)
    staged[k] = w[k];
  __syncthreads();
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < length[i]; ++k)
    v += staged[k] * cos(v) / 4;
  y[i] = v;
}

// From the last element to the first, two at a time; some threads skip some.
// bank: x in [n] -1:1 | w in [48] -1:1 | length in i32 [n] 1:24 | y out [n] | n = 128 | @block 64 | @grid 2
ONCE_KERNEL void lengths_from_the_end(const T *x, const T *w, const int *length, T *y, int n) {
  __shared__ T staged[48];
  for (int k = threadIdx.x; k < 48; k += blockDim.x)
    staged[k] = w[k];
  __syncthreads();
  int i = thread_index();
  T v = x[i];
  for (int k = 46; k >= 0; k -= 2) {
    if (k <= 46 - 2 * length[i])
      break;
    if ((i + k / 2) % 3 == 0)
      continue;
    v += staged[k] * cos(v + staged[k + 1]) / 4;
  }
  y[i] = v;
}

// Light is left for a while, in batches; the block ends when no thread has any.
// bank: place in [count, 2] 0:1 | shade in [count] 0.1:0.9 | colour in [count, 3] 0:1 | y out [rows, columns, 3]
// bank: count = 70 | rows = 16 | columns = 32 | @block 16,8 | @grid 2,2
ONCE_KERNEL void light_through_discs(const T *place, const T *shade, const T *colour, T *y, int rows, int columns,
                                     int count) {
  constexpr int BATCH = 32;
  __shared__ T places[BATCH][2], shades[BATCH], colours[BATCH][3];
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const T px = (column + T(0.5)) / columns, py = (row + T(0.5)) / rows;
  T left = 1, red = 0, green = 0, blue = 0;
  bool done = false;
  for (int start = 0; start < count; start += BATCH) {
    if (__syncthreads_and(done))
      break;
    if (thread < BATCH && start + thread < count) {
      places[thread][0] = place[2 * (start + thread)];
      places[thread][1] = place[2 * (start + thread) + 1];
      shades[thread] = shade[start + thread];
      for (int c = 0; c < 3; ++c)
        colours[thread][c] = colour[3 * (start + thread) + c];
    }
    __syncthreads();
    const int here = min(BATCH, count - start);
    for (int k = 0; k < here && !done; ++k) {
      const T dx = places[k][0] - px, dy = places[k][1] - py;
      const T far = dx * dx + dy * dy;
      if (far > T(0.3))
        continue;
      const T alpha = shades[k] * exp(-8 * far);
      if (left < T(0.02)) {
        done = true;
        break;
      }
      red += left * alpha * colours[k][0];
      green += left * alpha * colours[k][1];
      blue += left * alpha * colours[k][2];
      left *= 1 - alpha;
    }
  }
  y[3 * (row * columns + column)] = red;
  y[3 * (row * columns + column) + 1] = green;
  y[3 * (row * columns + column) + 2] = blue;
}

// Lanes of a row read one element. Rows of 16, of 8, of 48 (three groups of 16 lanes), of 2, of 5, of 32 lanes.
template <class T, int WIDTH, int HEIGHT> __device__ void sums_of_rows(const T *a, const T *x, T *y, int n) {
  __shared__ T staged[6][HEIGHT], other[HEIGHT][2];
  const int i = threadIdx.x, j = threadIdx.y, block = blockIdx.x;
  for (int k = j * WIDTH + i; k < 6 * HEIGHT; k += WIDTH * HEIGHT)
    staged[k / HEIGHT][k % HEIGHT] = a[block * 6 * HEIGHT + k];
  for (int k = j * WIDTH + i; k < 2 * HEIGHT; k += WIDTH * HEIGHT)
    other[k / 2][k % 2] = a[block * 6 * HEIGHT + k] * 2;
  __syncthreads();
  T sum = 0;
  const T v = x[(block * HEIGHT + j) * WIDTH + i];
  for (int k = 0; k < n; ++k)
    sum += staged[k][j] * sin(v * other[j][0] + staged[k][(j + 1) % HEIGHT]) * other[j][1];
  y[(block * HEIGHT + j) * WIDTH + i] = sum;
}
// bank: a in [2, 48] -1:1 | x in [2, 8, 16] -1:1 | y out [2, 8, 16] | @block 16,8 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_16(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 16, 8>(a, x, y, n); }
// bank: a in [2, 48] -1:1 | x in [2, 8, 8] -1:1 | y out [2, 8, 8] | @block 8,8 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_8(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 8, 8>(a, x, y, n); }
// bank: a in [2, 12] -1:1 | x in [2, 2, 48] -1:1 | y out [2, 2, 48] | @block 48,2 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_48(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 48, 2>(a, x, y, n); }
// bank: a in [2, 96] -1:1 | x in [2, 16, 2] -1:1 | y out [2, 16, 2] | @block 2,16 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_2(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 2, 16>(a, x, y, n); }
// bank: a in [2, 24] -1:1 | x in [2, 4, 5] -1:1 | y out [2, 4, 5] | @block 5,4 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_5(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 5, 4>(a, x, y, n); }
// bank: a in [2, 12] -1:1 | x in [2, 2, 32] -1:1 | y out [2, 2, 32] | @block 32,2 | @grid 2,1 | n = 6
ONCE_KERNEL void rows_of_32(const T *a, const T *x, T *y, int n) { sums_of_rows<T, 32, 2>(a, x, y, n); }

// Each thread of a row has iterations of its own, too.
// bank: a in [16] -1:1 | x in [8, 16] -1:1 | length in i32 [8, 16] 0:10 | y out [8, 16]
// bank: n = 10 | @block 16,8 | @grid 1,1
ONCE_KERNEL void lengths_in_rows(const T *a, const T *x, const int *length, T *y, int n) {
  __shared__ T staged[16];
  const int i = threadIdx.x, j = threadIdx.y, own = 16 * j + i;
  if (j == 0)
    staged[i] = a[i];
  __syncthreads();
  T v = x[own];
  for (int k = 0; k < n; ++k) {
    if (k == length[own])
      break;
    v = sin(v + staged[k] * staged[15 - j]);
  }
  y[own] = v;
}
