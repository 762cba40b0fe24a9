// cpu_target.cpp - the CPU target against hand-written OpenMP, in one run. The budget is a ratio of 1.2.
#include "work.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

using Map = void (*)(int, const float *, float *);

void check(bool right) {
  if (!right)
    std::abort();
}

void run_saxpy(benchmark::State &state, void (*work)(int, float, const float *, float *)) {
  int n = static_cast<int>(state.range(0));
  std::vector<float> x(n, 1), y(n, 2);
  work(n, 3, x.data(), y.data());
  check(y[n - 1] == 5 && y[n / 2] == 5);
  for (auto _ : state)
    work(n, 1e-9f, x.data(), y.data());
  state.SetBytesProcessed(state.iterations() * n * 12L);
}

void run_stencil(benchmark::State &state, Map work) {
  int n = static_cast<int>(state.range(0));
  std::vector<float> x(n * n, 1), y(n * n);
  work(n, x.data(), y.data());
  check(y[n + 1] == 1 && y[n * (n - 1) - 2] == 1 && y[0] == 0);
  for (auto _ : state)
    work(n, x.data(), y.data());
  state.SetBytesProcessed(state.iterations() * n * n * 8L);
}

void run_sum(benchmark::State &state, Map work) {
  int n = static_cast<int>(state.range(0));
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 3);
  float sum = 0;
  work(n, x.data(), &sum);
  double expected = std::accumulate(x.begin(), x.end(), 0.0);
  check(std::abs(sum - expected) < 1e-3 * expected);
  for (auto _ : state)
    work(n, x.data(), &sum);
  state.SetBytesProcessed(state.iterations() * n * 4L);
}

void run_map(benchmark::State &state, Map work) {
  int n = static_cast<int>(state.range(0));
  std::vector<float> x(n, 3), y(n);
  work(n, x.data(), y.data());
  check(y[n - 1] == 10);
  for (auto _ : state)
    work(n, x.data(), y.data());
  state.SetBytesProcessed(state.iterations() * n * 8L);
}

void run_empty(benchmark::State &state, void (*work)(int)) {
  for (auto _ : state)
    work(1);
}

} // namespace

#define PAIR(run, work, ...)                                                                                           \
  BENCHMARK_CAPTURE(run, work##_openmp, openmp_##work) __VA_ARGS__->UseRealTime();                                     \
  BENCHMARK_CAPTURE(run, work##_kernix, kernix_##work) __VA_ARGS__->UseRealTime();

PAIR(run_saxpy, saxpy, ->Arg(1 << 14)->Arg(1 << 18)->Arg(1 << 24))
PAIR(run_stencil, stencil, ->Arg(256)->Arg(4096))
PAIR(run_map, stride_map, ->Arg(1 << 18)->Arg(1 << 24))
PAIR(run_sum, sum_stride, ->Arg(1 << 18)->Arg(1 << 24))
PAIR(run_sum, sum_tree, ->Arg(1 << 18)->Arg(1 << 24))
PAIR(run_empty, empty, )

BENCHMARK_MAIN();
