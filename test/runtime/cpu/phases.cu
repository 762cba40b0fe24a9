// Kernels whose threads run phase by phase: what lives across waits, who is where, steps over data. Each is checked
// against plain host code; without optimisation (O0) the same kernels run as fibers.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <climits>
#include <utility>
#include <vector>

struct Triple {
  int a;
  double b;
  float c[3];
};

// Values of many types, a struct and an array live across barriers in nested loops.
__global__ void keeps(double *out, int outer, const int *inner) {
  __shared__ double board[128];
  int t = threadIdx.x;
  char small = static_cast<char>(t);
  long large = t * 1000000007L;
  bool odd = t % 2;
  Triple triple = {t, t * 0.5, {1, 2, 3}};
  int own[5] = {t, t + 1, t + 2, t + 3, t + 4};
  double sum = 0;
  for (int i = 0; i < outer; ++i) {
    board[t] = i + t;
    __syncthreads();
    for (int j = 0; j < inner[i]; ++j) {
      sum += board[(t + j) % 128] * (odd ? 2 : 1);
      own[(i + j) % 5] += j;
      __syncthreads();
      triple.c[j % 3] += 1;
      board[t] = sum;
      __syncthreads();
    }
    triple.a += small;
    large ^= i;
  }
  out[blockIdx.x * 128 + t] =
      sum + own[t % 5] + triple.a + triple.b + triple.c[t % 3] + static_cast<double>(large % 1000);
}
void check_keeps() {
  std::vector<int> inner = {3, 0, 1, 4};
  int blocks = 3;
  std::vector<double> out(blocks * 128);
  keeps<<<blocks, 128>>>(out.data(), 4, inner.data());
  CHECK_CUDA(cudaGetLastError());
  std::vector<double> board(128), sum(128);
  std::vector<Triple> triple(128);
  std::vector<std::vector<int>> own(128);
  std::vector<long> large(128);
  for (int t = 0; t < 128; ++t)
    triple[t] = {t, t * 0.5, {1, 2, 3}}, own[t] = {t, t + 1, t + 2, t + 3, t + 4}, large[t] = t * 1000000007L;
  for (int i = 0; i < 4; ++i) {
    for (int t = 0; t < 128; ++t)
      board[t] = i + t;
    for (int j = 0; j < inner[i]; ++j) {
      for (int t = 0; t < 128; ++t) {
        sum[t] += board[(t + j) % 128] * (t % 2 ? 2 : 1);
        own[t][(i + j) % 5] += j;
        triple[t].c[j % 3] += 1;
      }
      board = sum;
    }
    for (int t = 0; t < 128; ++t)
      triple[t].a += static_cast<char>(t), large[t] ^= i;
  }
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < 128; ++t)
      CHECK(out[b * 128 + t] == sum[t] + own[t][t % 5] + triple[t].a + triple[t].b + triple[t].c[t % 3] +
                                    static_cast<double>(large[t] % 1000));
}

// Each thread leaves the loop after a number of turns of its own; the barrier counts who is left.
__global__ void leaves(int *out) {
  int turns = threadIdx.x % 7, seen = 0;
  for (int i = 0; i < turns; ++i)
    seen += kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_COUNT, 1) * (i + 1);
  out[threadIdx.x] = seen;
}
// Barriers in branches that depend on the data of a block, on the thread, and on both.
__global__ void branches(int *out, const int *choice) {
  __shared__ int x[64];
  int t = threadIdx.x, value = 0;
  x[t] = t;
  __syncthreads();
  if (choice[blockIdx.x] == 1) {
    value = x[63 - t];
    __syncthreads();
    x[t] = value * 2;
  } else if (choice[blockIdx.x] == 2) {
    if (t < 32)
      __syncthreads();
    else
      __syncthreads();
    value = x[t ^ 1];
  } else {
    if (t % 2)
      value = x[t - 1];
    __syncthreads();
    if (t % 3 == 0) {
      x[t] = -t;
      return;
    }
  }
  __syncthreads();
  out[blockIdx.x * 64 + t] = value + x[(t + 1) % 64];
}
void check_branches() {
  std::vector<int> out(64);
  leaves<<<1, 64>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int t = 0; t < 64; ++t) {
    int seen = 0;
    for (int i = 0; i < t % 7; ++i) {
      int left = 0;
      for (int other = 0; other < 64; ++other)
        left += other % 7 > i;
      seen += left * (i + 1);
    }
    CHECK(out[t] == seen);
  }
  std::vector<int> choice = {1, 2, 3}, result(3 * 64, -1000);
  branches<<<3, 64>>>(result.data(), choice.data());
  CHECK_CUDA(cudaGetLastError());
  for (int t = 0; t < 64; ++t) {
    CHECK(result[t] == 63 - t + 2 * (63 - (t + 1) % 64));
    CHECK(result[64 + t] == (t ^ 1) + (t + 1) % 64);
    int next = (t + 1) % 64;
    CHECK(result[128 + t] == (t % 3 == 0 ? -1000 : (t % 2 ? t - 1 : 0) + (next % 3 == 0 ? -next : next)));
  }
}

// Uniform variables change in loops around waits; their old and new values are both used.
__global__ void fibonacci(int *out, int n) {
  __shared__ int x[96];
  int a = 0, b = 1;
  x[threadIdx.x] = 0;
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    x[(threadIdx.x + a) % 96] += b;
    int c = a + b;
    a = b;
    b = c;
    if (i % 3 == 1)
      continue;
    __syncthreads();
    if (b > 200)
      break;
  }
  __syncthreads();
  out[threadIdx.x] = x[threadIdx.x] + 1000 * a;
}
void check_uniform() {
  for (int n : {0, 1, 2, 5, 9, 30}) {
    std::vector<int> out(96);
    fibonacci<<<1, 96>>>(out.data(), n);
    CHECK_CUDA(cudaGetLastError());
    int a = 0, b = 1, total = 0;
    for (int i = 0; i < n; ++i) {
      total += b;
      int c = a + b;
      a = b;
      b = c;
      if (i % 3 != 1 && b > 200)
        break;
    }
    for (int value : out)
      CHECK(value == total + 1000 * a);
  }
}

// All threads choose the same of their variables, but each its own.
__global__ void chooses(int *out, int n) {
  int t = threadIdx.x, a[4] = {t, t, t, t}, b[4] = {-t, 1, 2, 3};
  int *chosen = n > 2 ? a : b;
  __syncthreads();
  chosen[n & 3] += 5 * t;
  __syncthreads();
  out[t] = a[0] + a[n & 3] + b[0] + b[1] + b[2] + b[3];
}
void check_chooses() {
  for (int n = 0; n < 6; ++n) {
    std::vector<int> out(64);
    chooses<<<1, 64>>>(out.data(), n);
    CHECK_CUDA(cudaGetLastError());
    for (int t = 0; t < 64; ++t)
      CHECK(out[t] == t + t - t + 6 + 5 * t * (n == 4 ? 2 : 1));
  }
}

// Steps over data: start, step and bound of every kind. `T` is the index's type.
template <class T, bool Inclusive, bool GridStride>
__global__ void steps(unsigned *visits, T start, T bound, T stride, long *sums, int repeat) {
  __shared__ long shared_sum;
  long sum = 0, count = 0;
  for (int r = 0; r < repeat; ++r) {
    T first = start + static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
    for (T i = first; Inclusive ? i <= bound : i < bound; i += GridStride ? gridDim.x * blockDim.x : stride) {
      sum += static_cast<long>(i);
      if (i % 2 == 0)
        ++count;
      atomicAdd(&visits[static_cast<long>(i) - static_cast<long>(start)], 1u);
    }
  }
  if (threadIdx.x == 0)
    shared_sum = 0;
  __syncthreads();
  atomicAdd(reinterpret_cast<unsigned long long *>(&shared_sum), static_cast<unsigned long long>(sum + count));
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = shared_sum;
}
template <class T, bool Inclusive> void check_steps(T start, T bound, T stride, int blocks, int threads, int repeat) {
  long size = 0;
  std::vector<unsigned> expected(5000), visits(5000);
  long total = 0;
  for (int thread = 0; thread < blocks * threads; ++thread)
    for (int r = 0; r < repeat; ++r)
      for (__int128 i = static_cast<__int128>(start) + thread; Inclusive ? i <= bound : i < bound;
           i += stride == 0 ? T(blocks * threads) : stride) {
        long at = static_cast<long>(i - start);
        CHECK(at < 5000);
        ++expected[at];
        total += static_cast<long>(i) + (i % 2 == 0);
        size = at > size ? at : size;
      }
  std::vector<long> sums(blocks);
  auto kernel = stride == 0 ? steps<T, Inclusive, true> : steps<T, Inclusive, false>;
  kernel<<<blocks, threads>>>(visits.data(), start, bound, stride, sums.data(), repeat);
  CHECK_CUDA(cudaGetLastError());
  CHECK(visits == expected);
  long sum = 0;
  for (long one : sums)
    sum += one;
  CHECK(sum == total);
}
template <class T> void check_all_steps(T highest) {
  for (int threads : {1, 32, 100, 256})
    for (int blocks : {1, 3})
      for (T bound : {T(0), T(1), T(99), T(100), T(101), T(1000), T(4001)}) {
        check_steps<T, false>(0, bound, 0, blocks, threads, 1);
        check_steps<T, true>(0, bound, 0, blocks, threads, 2);
        check_steps<T, false>(7, bound, 64, blocks, threads, 1);
      }
  // Near the end of the type's range, where a step must not go round.
  check_steps<T, false>(highest - 1000, highest - 600, 0, 2, 64, 1);
  check_steps<T, false>(highest - 2000, highest - 1, 0, 1, 1, 1);
  check_steps<T, false>(highest - 2000, highest - 1, 0, 1, 2, 1);
  if (static_cast<T>(-1) < 0) {
    check_steps<T, false>(static_cast<T>(-500), 300, 0, 2, 96, 1);
    check_steps<T, false>(static_cast<T>(-500), static_cast<T>(-300), 0, 1, 96, 3);
  }
}

// The usual reduction: steps, warp shuffles, shared memory, the first warp alone.
__global__ void reduce(const float *x, int n, float *out) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < (blockDim.x + 31) / 32 ? parts[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}
// Each row a block, each block several rows: steps inside a loop with barriers, and two step loops in a row.
__global__ void normalise(float *x, int rows, int width) {
  __shared__ float parts[128];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x)
      sum += x[row * width + i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
      if (threadIdx.x < s)
        parts[threadIdx.x] += parts[threadIdx.x + s];
      __syncthreads();
    }
    float total = parts[0];
    for (int i = threadIdx.x; i < width; i += blockDim.x)
      x[row * width + i] /= total;
    __syncthreads();
  }
}
// Restricted pointers to one array: what a thread writes another reads behind the barrier.
__global__ void exchange(int *__restrict__ a, const int *__restrict__ b) {
  a[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  int other = b[threadIdx.x + 64 - 2 * threadIdx.x - 1];
  __syncthreads();
  a[threadIdx.x] = other;
}
void check_reductions() {
  for (int n : {1, 31, 1000, 12345})
    for (int threads : {32, 64, 256, 1024}) {
      std::vector<float> x(n);
      float expected = 0, sum = 0;
      for (int i = 0; i < n; ++i)
        x[i] = static_cast<float>(i % 5), expected += x[i];
      reduce<<<3, threads>>>(x.data(), n, &sum);
      CHECK_CUDA(cudaGetLastError());
      CHECK(sum == expected);
    }
  for (int width : {1, 100, 128, 1000}) {
    std::vector<float> x(7 * width, 2);
    normalise<<<3, 128>>>(x.data(), 7, width);
    CHECK_CUDA(cudaGetLastError());
    for (float value : x)
      CHECK(value == 2.0f / static_cast<float>(2 * width));
  }
  std::vector<int> x(64);
  exchange<<<1, 64>>>(x.data(), x.data());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == 64 - i);
}

// Warps of a block take turns of their own number, each decided by its own data; some return before others begin.
__global__ void rows(const int *first, const int *x, int *sums, unsigned *votes, int count) {
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int row = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z / 32) + thread / 32, lane = thread % 32;
  if (row >= count)
    return;
  int sum = 0;
  unsigned vote = 0;
  for (int start = first[row]; start < first[row + 1]; start += 4) {
    const int mine = start + lane < first[row + 1] && lane < 4 ? x[start + lane] : 0;
    for (int k = 0; k < 4; ++k)
      sum += (lane + 1) * __shfl_sync(0xffffffff, mine, k);
    if (start % 3 == 0)
      vote ^= __ballot_sync(0xffffffff, mine + lane > 20);
    __syncwarp();
  }
  sums[32 * row + lane] = sum + __shfl_xor_sync(0xffffffff, sum, 1);
  votes[32 * row + lane] = vote;
}
void check_rows() {
  const int count = 37;
  std::vector<int> first = {0}, x;
  for (int row = 0; row < count; ++row) {
    for (int k = 0; k < row * 7 % 23; ++k)
      x.push_back(row * 5 + k);
    first.push_back(static_cast<int>(x.size()));
  }
  for (dim3 block : {dim3(32), dim3(96), dim3(256), dim3(16, 8), dim3(64, 2, 2)}) {
    std::vector<int> sums(32 * count);
    std::vector<unsigned> votes(32 * count, 7);
    const int warps = block.x * block.y * block.z / 32;
    rows<<<(count + warps - 1) / warps, block>>>(first.data(), x.data(), sums.data(), votes.data(), count);
    CHECK_CUDA(cudaGetLastError());
    for (int row = 0; row < count; ++row) {
      int total = 0;
      unsigned vote = 0;
      for (int start = first[row]; start < first[row + 1]; start += 4) {
        int mine[32] = {};
        for (int k = 0; k < 4 && start + k < first[row + 1]; ++k)
          total += mine[k] = x[start + k];
        for (int lane = 0; start % 3 == 0 && lane < 32; ++lane)
          vote ^= static_cast<unsigned>(mine[lane] + lane > 20) << lane;
      }
      for (int lane = 0; lane < 32; ++lane) {
        CHECK(sums[32 * row + lane] == total * (lane + 1 + (lane ^ 1) + 1));
        CHECK(votes[32 * row + lane] == vote);
      }
    }
  }
}
// A warp of which some threads are not there, and more waits than most kernels have.
template <int... Turn> __device__ int rotations(int v, std::integer_sequence<int, Turn...>) {
  const unsigned mask = blockDim.x % 32 == 0 || threadIdx.x < blockDim.x / 32 * 32 ? ~0u : (1u << blockDim.x % 32) - 1;
  ((v = __shfl_sync(mask, v, (threadIdx.x + 1 + Turn * 0) % 32)), ...);
  return v;
}
__global__ void rotate(int *out, const int *wanted) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int v = thread;
  if (wanted[thread / 32] != 0)
    v = rotations(v, std::make_integer_sequence<int, 100>());
  out[thread] = v;
}
void check_rotations() {
  const int wanted[8] = {1, 0, 1, 1, 0, 0, 1, 0};
  std::vector<int> out(256);
  rotate<<<2, 128>>>(out.data(), wanted);
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 256; ++i)
    CHECK(out[i] == (wanted[i / 32] != 0 ? i / 32 * 32 + (i + 100) % 32 : i));
  // The threads that are there: 0 to 7 of the last warp. Those who ask for others get their own.
  rotate<<<1, 40>>>(out.data(), wanted + 2);
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 32; ++i)
    CHECK(out[i] == (i + 100) % 32);
  for (int i = 32; i < 40; ++i)
    CHECK(out[i] == 39);
}

// Blocks of two and three dimensions.
__global__ void transpose(const int *in, int *out, int n) {
  __shared__ int tile[8][9];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 8 + threadIdx.x;
  y = blockIdx.x * 8 + threadIdx.y;
  if (x < n && y < n)
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void cube(int *out) {
  __shared__ int x[4][3][5];
  x[threadIdx.z][threadIdx.y][threadIdx.x] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
  __syncthreads();
  out[(threadIdx.z * 3 + threadIdx.y) * 5 + threadIdx.x] = x[3 - threadIdx.z][2 - threadIdx.y][4 - threadIdx.x];
}
void check_dimensions() {
  int n = 21;
  std::vector<int> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i)
    in[i] = i;
  transpose<<<dim3(3, 3), dim3(8, 8)>>>(in.data(), out.data(), n);
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      CHECK(out[i * n + j] == j * n + i);
  std::vector<int> c(60);
  cube<<<1, dim3(5, 3, 4)>>>(c.data());
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        CHECK(c[(z * 3 + y) * 5 + x] == (3 - z) * 100 + (2 - y) * 10 + 4 - x);
}

int main() {
  check_keeps();
  check_branches();
  check_uniform();
  check_chooses();
  check_all_steps<int>(INT_MAX);
  check_all_steps<unsigned>(UINT_MAX);
  check_all_steps<long>(LONG_MAX);
  check_reductions();
  check_rows();
  check_rotations();
  check_dimensions();
}
