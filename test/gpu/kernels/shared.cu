// Shared memory: tiles, halos, dynamic, more than 48 KB.
#include <kernix/kernix.h>

[[kernix::bind, kernix::grid("ceil_div(columns, 32)", "ceil_div(rows, 32)"), kernix::block(32, 8)]]
__global__ void transpose(const float *x,
                          [[kernix::intent(out_return), kernix::shape("x.size(1)", "x.size(0)")]] float *y,
                          [[kernix::value("x.size(0)")]] int rows, [[kernix::value("x.size(1)")]] int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < columns && column < rows)
      y[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}

[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(128)]]
__global__ void smooth(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                       [[kernix::value("x.numel()")]] int n) {
  __shared__ float line[128 + 4];
  int i = blockIdx.x * blockDim.x + threadIdx.x, local = threadIdx.x + 2;
  auto at = [&](int k) { return k >= 0 && k < n ? x[k] : 0.0f; };
  line[local] = at(i);
  if (threadIdx.x < 2) {
    line[threadIdx.x] = at(i - 2);
    line[local + blockDim.x] = at(i + static_cast<int>(blockDim.x));
  }
  __syncthreads();
  if (i < n)
    y[i] = (line[local - 2] + line[local - 1] + line[local] + line[local + 1] + line[local + 2]) / 5;
}

// A prefix sum per block, in dynamic shared memory of two rows.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256), kernix::shared_bytes("8 * block.x")]]
__global__ void scan(const int *x, [[kernix::intent(out_return), kernix::shape("x")]] int *y,
                     [[kernix::value("x.numel()")]] int n) {
  extern __shared__ int rows[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, width = blockDim.x, t = threadIdx.x;
  int from = 0;
  rows[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < width; step *= 2) {
    rows[(1 - from) * width + t] = rows[from * width + t] + (t >= step ? rows[from * width + t - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n)
    y[i] = rows[from * width + t];
}

// Needs the opt-in above 48 KB: 4 bytes for each element of x.
[[kernix::bind, kernix::grid("1"), kernix::block(512), kernix::shared_bytes("4 * n")]]
__global__ void reverse(const int *x, [[kernix::intent(out_return), kernix::shape("x")]] int *y,
                        [[kernix::value("x.numel()")]] int n) {
  extern __shared__ int whole[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    whole[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = whole[n - 1 - i];
}

[[kernix::bind, kernix::grid("ceil_div(n, 16)", "ceil_div(m, 16)"), kernix::block(16, 16)]]
__global__ void matmul(const float *a, [[kernix::shape("k", "b.size(1)")]] const float *b,
                       [[kernix::intent(out_return), kernix::shape("a.size(0)", "b.size(1)")]] float *c,
                       [[kernix::value("a.size(0)")]] int m, [[kernix::value("b.size(1)")]] int n,
                       [[kernix::value("a.size(1)")]] int k) {
  __shared__ float left[16][16], right[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int base = 0; base < k; base += 16) {
    left[threadIdx.y][threadIdx.x] = row < m && base + threadIdx.x < k ? a[row * k + base + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && base + threadIdx.y < k ? b[(base + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
