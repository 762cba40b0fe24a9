// Gradients that many threads add to, where one host thread runs the kernel, where several do, and where several host
// threads launch at once: no addition is lost.
// RUN: %cpu-cc %t -O2 -I%inputs %s
// RUN: env KERNIX_NUM_THREADS=1 timeout 100 %t
// RUN: env KERNIX_NUM_THREADS=4 timeout 100 %t
// RUN: %cpu-cc %t -O0 -I%inputs %s
// RUN: env KERNIX_NUM_THREADS=1 timeout 100 %t
#include "check.h"
#include <kernix/kernix.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Neighbours in a row, an element that all threads read, elements that are looked up.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void window(const float *x, const float *scale, const int *index, float *y, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < 1 || i >= n - 1)
    return;
  y[i] = *scale * (x[i - 1] + 2 * x[i] + 4 * x[i + 1]) + x[index[i]];
}
// The same with shared memory.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tile(const float *x, float *y, int n) {
  __shared__ float part[66];
  int i = static_cast<int>(blockIdx.x * 64 + threadIdx.x), t = static_cast<int>(threadIdx.x);
  part[t + 1] = i < n ? x[i] : 0;
  if (t == 0)
    part[0] = i > 0 ? x[i - 1] : 0;
  if (t == 63)
    part[65] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n)
    y[i] = part[t] + 2 * part[t + 1] + 4 * part[t + 2];
}

// Small whole numbers, so that sums are exact in any order.
struct Arrays {
  static constexpr int n = 20000;
  std::vector<float> x, y, gy, gx, gscale, of_tile;
  std::vector<int> index;
  float scale = 3;
  Arrays() : x(n, 1), y(n), gy(n), gx(n), gscale(1), of_tile(n), index(n) {
    for (int i = 0; i < n; ++i) {
      gy[i] = static_cast<float>(i % 3);
      index[i] = i * 7 % 50;
    }
  }
  void launch() {
    window_bwd<<<(n + 63) / 64, 64>>>(x.data(), gx.data(), &scale, gscale.data(), index.data(), y.data(), gy.data(), n);
    tile_bwd<<<(n + 63) / 64, 64>>>(x.data(), of_tile.data(), y.data(), gy.data(), n);
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  void check(int times) {
    std::vector<float> want(n), want_of_tile(n);
    float want_of_scale = 0;
    for (int i = 0; i < n; ++i) {
      const float weight[] = {1, 2, 4};
      for (int k = 0; k < 3; ++k) {
        if (i + k - 1 >= 0 && i + k - 1 < n)
          want_of_tile[i + k - 1] += weight[k] * gy[i];
        if (i >= 1 && i < n - 1)
          want[i + k - 1] += scale * weight[k] * gy[i];
      }
      if (i >= 1 && i < n - 1) {
        want[index[i]] += gy[i];
        want_of_scale += 7 * gy[i];
      }
    }
    for (int i = 0; i < n; ++i) {
      CHECK(gx[i] == static_cast<float>(times) * want[i]);
      CHECK(of_tile[i] == static_cast<float>(times) * want_of_tile[i]);
    }
    CHECK(gscale[0] == static_cast<float>(times) * want_of_scale);
  }
};

int main() {
  Arrays one;
  one.launch();
  one.launch();
  one.check(2);
  // All into the same gradients.
  constexpr int launches = 12, host_threads = 6;
  Arrays shared;
  std::vector<std::thread> threads;
  for (int id = 0; id < host_threads; ++id)
    threads.emplace_back([&] {
      for (int k = 0; k < launches; ++k)
        shared.launch();
    });
  for (std::thread &thread : threads)
    thread.join();
  shared.check(launches * host_threads);
  // A child of fork has none of the launches of other threads.
  std::thread other([&] {
    for (int k = 0; k < 20; ++k)
      Arrays().launch();
  });
  pid_t child = fork();
  if (child == 0) {
    Arrays again;
    again.launch();
    again.check(1);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  other.join();
}
