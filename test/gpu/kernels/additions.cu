// Kernels whose gradients are added to in every way that there is on a GPU. See test_additions.py.
#include <kernix/kernix.h>

template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double")]] __global__ void
fours(const T *x, const T *w, T *y, [[kernix::value("y.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += x[4 * i + k] * x[4 * i + k] * w[4 * i + 3 - k];
  y[i] = sum;
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scaled_in_place(const float *x, [[kernix::intent(inout_ptr)]] float *y,
                                [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] *= x[i] * x[i];
}

// The lanes of a warp have different numbers of turns and leave some out: those that are together share an address.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double")]] __global__ void
scattered_lanes(const T *x, const T *w, const int *turns, T *y, [[kernix::value("x.size(0)")]] int n,
                [[kernix::value("w.size(0)")]] int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T v = x[i], sum = 0;
  for (int k = 0; k < turns[i]; ++k) {
    if ((i + k) % 3 == 0)
      continue;
    sum += w[k % m] * v;
    if (sum > T(3))
      break;
  }
  y[i] = sum;
}

// A row of the block has an address of its own: a warp has several.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(8, 16)]]
__global__ void rows_of_block(const T *x, const T *w, T *y, [[kernix::value("x.size(0)")]] int rows) {
  int column = threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
  if (row >= rows || (row + column) % 5 == 0)
    return;
  y[row * 8 + column] = x[row * 8 + column] * w[threadIdx.y] * w[row % 3];
}

// All threads read all parts, which lane 0 of each warp has stored; some threads read them behind a branch.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(128)]]
__global__ void shared_parts(const T *x, T *y, [[kernix::value("x.size(0)")]] int n) {
  __shared__ T parts[4], first;
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  T v = i < n ? x[i] : T(0), sum = v * v;
  for (int by = 16; by; by /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, by);
  if (t % 32 == 0)
    parts[t / 32] = sum;
  if (t == 5)
    first = v;
  __syncthreads();
  if (i >= n)
    return;
  T all = 0;
  for (int k = 0; k < 4; ++k)
    all += parts[k];
  if (v > 0)
    all *= first * parts[t / 32];
  y[i] = v * all;
}

// More blocks than run at a time, all of which add to the same numbers.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(64)]]
__global__ void many_blocks(const T *x, const T *w, T *y, [[kernix::diff]] T a, [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T v = x[i], sum = a * v;
  if (v > 0)
    sum += w[0] * v * v;
  else
    sum -= w[1] * w[0];
  y[i] = sum;
}

// The same by rows and columns, in blocks of any shape.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double")]]
__global__ void many_planes(const T *x, const T *w, T *y, [[kernix::value("x.size(1)")]] int height,
                            [[kernix::value("x.size(2)")]] int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) {
    int i = (blockIdx.z * height + row) * width + column;
    y[i] = w[0] * x[i] * x[i] + w[1] * blockIdx.x;
  }
}

// A block has elements of its own, which its threads read in several branches. The third is read by nobody.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(96)]]
__global__ void weights_of_row(const T *x, const T *w, T *y, [[kernix::value("x.size(1)")]] int n) {
  const T *weights = w + blockIdx.y * 3, *row = x + blockIdx.y * n;
  for (int k = 0; k < 4; ++k) {
    int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
    if (i < n)
      y[blockIdx.y * n + i] = weights[0] * row[i] + (row[i] > 0 ? weights[1] : row[i] > 2 ? weights[2] : T(0));
  }
}

// Threads and whole warps return before a barrier.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(128)]]
__global__ void some_return(const T *x, const T *w, T *y, [[kernix::diff]] T a, [[kernix::value("x.size(0)")]] int n) {
  __shared__ T tile[128];
  int t = threadIdx.x;
  if (t >= n)
    return;
  tile[t] = x[t];
  __syncthreads();
  y[t] = a * tile[n - 1 - t] * w[0];
}

// Neighbours in a tile. With rows of more than 18 threads, several threads read one element by one load.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double")]]
__global__ void neighbours(const T *x, T *y, int n) {
  __shared__ T tile[18 * 18];
  const int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = t; k < 18 * 18; k += threads)
    tile[k] = x[blockIdx.x * 18 * 18 + k];
  __syncthreads();
  const T *at = tile + threadIdx.y * 18 + threadIdx.x;
  if ((threadIdx.x * 5 + threadIdx.y * 3) % 7 < n)
    y[blockIdx.x * threads + t] = at[19] * at[1] + at[37] * at[18] + at[20] * at[20] * at[0];
}

// A tile of 32 x 32 and its border, in four steps: rows far from each other share a turn.
template <class T>
[[kernix::bind, kernix::differentiable(backward), kernix::instantiate("float", "double"), kernix::block(32, 8)]]
__global__ void window(const T *x, const T *w, T *y, [[kernix::value("x.size(0)")]] int height,
                       [[kernix::value("x.size(1)")]] int width) {
  __shared__ T tile[34][34];
  const int top = blockIdx.y * 32, left = blockIdx.x * 32;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 34 * 34; k += 256) {
    const int row = top + k / 34 - 1, column = left + k % 34 - 1;
    tile[k / 34][k % 34] = row >= 0 && row < height && column >= 0 && column < width ? x[row * width + column] : T(0);
  }
  __syncthreads();
  const int column = left + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    const int row = top + k + threadIdx.y;
    if (row >= height || column >= width)
      continue;
    T sum = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        sum += w[3 * dy + dx] * tile[row - top + dy][threadIdx.x + dx];
    y[row * width + column] = sum * sum;
  }
}
