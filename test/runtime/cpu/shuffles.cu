// Shuffles whose lanes are known when the kernel is compiled, in loops that are unrolled, by blocks of every shape,
// with threads that have returned. Each is checked against plain host code.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

constexpr unsigned full = 0xffffffff;
enum Kind { Down, Up, Xor, Index, Shifted };

__host__ __device__ int linear(dim3 thread, dim3 block) {
  return static_cast<int>((thread.z * block.y + thread.y) * block.x + thread.x);
}

template <class T, Kind How, int Width> __device__ T exchange(T value, int amount) {
  switch (How) {
  case Down:
    return __shfl_down_sync(full, value, amount, Width);
  case Up:
    return __shfl_up_sync(full, value, amount, Width);
  case Xor:
    return __shfl_xor_sync(full, value, amount, Width);
  case Index:
    return __shfl_sync(full, value, amount, Width);
  case Shifted: // the lane it asks for depends on its own
    return __shfl_sync(full, value, static_cast<int>(threadIdx.x) + amount, Width);
  }
}

// Threads below First and from Last on return; the others meet between barriers and at a branch.
template <class T, Kind How, int Width> __global__ void mixes(T *out, int first, int last) {
  __shared__ int live;
  int own = linear(threadIdx, blockDim);
  if (own == 0)
    live = 0;
  __syncthreads();
  if (own < first || own >= last)
    return;
  T value = static_cast<T>(own % 7 + 1);
  for (int amount = 16; amount > 0; amount /= 2)
    value = value + exchange<T, How, Width>(value, amount) * 2;
  atomicAdd(&live, 1);
  __syncthreads();
  if (own < first + 64)
    for (int amount = 0; amount < 3; ++amount)
      value = value - exchange<T, How, Width>(value, amount);
  out[own] = value + static_cast<T>(live);
}

int source(Kind how, int width, int lane, int thread_x, int amount) {
  int segment = lane / width * width, at = lane - segment;
  switch (how) {
  case Down:
    return at + amount < width ? lane + amount : lane;
  case Up:
    return at - amount >= 0 ? lane - amount : lane;
  case Xor: // an earlier segment may be read, not a later one
    return (lane ^ amount) < segment + width ? lane ^ amount : lane;
  case Index:
    return segment + amount % width;
  case Shifted:
    return segment + (thread_x + amount) % width;
  }
  return lane;
}

template <class T, Kind How, int Width> void check_one(dim3 block, int first, int last) {
  int threads = static_cast<int>(block.x * block.y * block.z);
  last = last < threads ? last : threads;
  std::vector<T> out(threads, T(-1)), values(threads);
  mixes<T, How, Width><<<1, block>>>(out.data(), first, last);
  CHECK_CUDA(cudaGetLastError());
  auto round = [&](int end, int amount, int factor) {
    std::vector<T> before = values;
    for (int t = first; t < end; ++t) {
      int from = t / 32 * 32 + source(How, Width, t % 32, t % static_cast<int>(block.x), amount);
      // A lane that has returned, or does not exist, gives the reader's own value.
      values[t] = before[t] + before[from >= first && from < last ? from : t] * static_cast<T>(factor);
    }
  };
  for (int t = 0; t < threads; ++t)
    values[t] = static_cast<T>(t % 7 + 1);
  for (int amount = 16; amount > 0; amount /= 2)
    round(last, amount, 2);
  int end = first + 64 < last ? first + 64 : last;
  for (int amount = 0; amount < 3; ++amount)
    round(end, amount, -1);
  for (int t = first; t < last; ++t)
    CHECK(out[t] == values[t] + static_cast<T>(last - first));
}

template <class T, Kind How, int Width> void check_blocks() {
  for (dim3 block :
       {dim3(32), dim3(256), dim3(100), dim3(1024), dim3(1), dim3(8, 8), dim3(5, 7, 3), dim3(32, 2), dim3(1, 64)}) {
    int threads = static_cast<int>(block.x * block.y * block.z);
    check_one<T, How, Width>(block, 0, threads);
    // The second branch of the kernel ends within a warp only where all of it takes part.
    if (threads >= 64) {
      check_one<T, How, Width>(block, 0, 64);
      check_one<T, How, Width>(block, 0, 32);
      check_one<T, How, Width>(block, 32, threads);
      check_one<T, How, Width>(block, 0, 50);
    }
  }
}

template <class T> void check_kinds() {
  check_blocks<T, Down, 32>();
  check_blocks<T, Up, 32>();
  check_blocks<T, Xor, 32>();
  check_blocks<T, Index, 32>();
  check_blocks<T, Shifted, 32>();
  check_blocks<T, Down, 8>();
  check_blocks<T, Up, 4>();
  check_blocks<T, Xor, 16>();
  check_blocks<T, Shifted, 2>();
}

int main() {
  check_kinds<int>();
  check_kinds<double>();
  check_kinds<float>();
}
