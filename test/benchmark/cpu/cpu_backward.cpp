// cpu_backward.cpp - backward kernels on the CPU target against hand-written OpenMP, in one run. The budget is 1.2.
#include "backward_work.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using Numbers = std::vector<float>;

Numbers random_numbers(size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Numbers result(size);
  for (float &each : result)
    each = uniform(generator);
  return result;
}

void compare(const Numbers &one, const Numbers &other) {
  for (size_t i = 0; i < one.size(); ++i)
    if (!(std::abs(one[i] - other[i]) <= 1e-4f * (1 + std::abs(other[i])))) {
      std::fprintf(stderr, "gradient %zu: %g and %g\n", i, one[i], other[i]);
      std::abort();
    }
}

/// Two inputs with `a` and `b` numbers for each of n elements, gradients of both, cotangents of the outputs.
struct Arrays {
  Numbers x, y, gx, gy, g;
  Arrays(int n, int a, int b)
      : x(random_numbers(size_t(n) * a, 1)), y(random_numbers(size_t(n) * b, 2)), gx(x.size()), gy(y.size()),
        g(random_numbers(n, 3)) {}
};

template <class Call> void run(benchmark::State &state, int n, int a, int b, Call &&work, Call &&other) {
  {
    Arrays one(n < 5000 ? n : 4096, a, b), two = one;
    work(static_cast<int>(one.g.size()), one);
    other(static_cast<int>(two.g.size()), two);
    compare(one.gx, two.gx);
    compare(one.gy, two.gy);
  }
  Arrays arrays(n, a, b);
  for (auto _ : state)
    work(n, arrays);
}

using Call = void (*)(int, Arrays &);

void blend(benchmark::State &state, bool is_kernix) {
  Call calls[] = {
      [](int n, Arrays &v) { openmp_blend(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data(), 0.3f); },
      [](int n, Arrays &v) { kernix_blend(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data(), 0.3f); }};
  run(state, static_cast<int>(state.range(0)), 1, 1, calls[is_kernix], calls[!is_kernix]);
}

int side(int n) { return static_cast<int>(std::lround(std::sqrt(n))); }

void stencil(benchmark::State &state, bool is_kernix) {
  Call calls[] = {[](int n, Arrays &v) { openmp_stencil(side(n), v.x.data(), v.gx.data(), v.g.data()); },
                  [](int n, Arrays &v) { kernix_stencil(side(n), v.x.data(), v.gx.data(), v.g.data()); }};
  run(state, static_cast<int>(state.range(0)), 1, 0, calls[is_kernix], calls[!is_kernix]);
}

void harmonics(benchmark::State &state, bool is_kernix) {
  Call calls[] = {
      [](int n, Arrays &v) { openmp_harmonics(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data()); },
      [](int n, Arrays &v) { kernix_harmonics(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data()); }};
  run(state, static_cast<int>(state.range(0)), 3, 16, calls[is_kernix], calls[!is_kernix]);
}

void recurrence(benchmark::State &state, bool is_kernix) {
  Call calls[] = {
      [](int n, Arrays &v) { openmp_recurrence(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data()); },
      [](int n, Arrays &v) { kernix_recurrence(n, v.x.data(), v.gx.data(), v.y.data(), v.gy.data(), v.g.data()); }};
  run(state, static_cast<int>(state.range(0)), 1, 1, calls[is_kernix], calls[!is_kernix]);
}

} // namespace

#define PAIR(work, ...)                                                                                                \
  BENCHMARK_CAPTURE(work, openmp, false) __VA_ARGS__->UseRealTime();                                                   \
  BENCHMARK_CAPTURE(work, kernix, true) __VA_ARGS__->UseRealTime()

PAIR(blend, ->Arg(1 << 16)->Arg(1 << 22));
PAIR(stencil, ->Arg(1 << 16)->Arg(1 << 22));
PAIR(harmonics, ->Arg(1 << 12)->Arg(1 << 18));
PAIR(recurrence, ->Arg(1 << 12)->Arg(1 << 18));

BENCHMARK_MAIN();
