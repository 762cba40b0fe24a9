// Device functions for Numba's kernels: every kind of argument and result.
#pragma once

#include <cassert>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

struct RunningStats {
  int count;
  float sum;
  float sum_sq;
};

[[kernix::bind]] __device__ void stats_update([[kernix::intent(inout_ptr)]] RunningStats &state, float x) {
  state.count += 1;
  state.sum += x;
  state.sum_sq += x * x;
}
[[kernix::bind]] __device__ void stats_get_mean(const RunningStats &state,
                                                [[kernix::intent(out_ptr)]] float &mean_out) {
  mean_out = state.sum / static_cast<float>(state.count);
}
[[kernix::bind]] __device__ bool stats_update_and_get_zscore([[kernix::intent(inout_ptr)]] RunningStats &state, float x,
                                                             [[kernix::intent(out_return)]] float &zscore_out) {
  stats_update(state, x);
  const auto count = static_cast<float>(state.count);
  const float mean = state.sum / count, variance = state.sum_sq / count - mean * mean;
  zscore_out = variance > 0 ? (x - mean) / sqrtf(variance) : 0;
  return variance > 0;
}
[[kernix::bind]] __device__ void stats_get_matrix_3x4([[kernix::intent(out_array_return)]] float out[3][4]) {
  for (int i = 0; i < 12; ++i)
    out[i / 4][i % 4] = static_cast<float>(i);
}
[[kernix::bind]] __device__ void stats_get_vectors([[kernix::intent(out_array_return)]] float4 out[3]) {
  for (int i = 0; i < 3; ++i)
    out[i] = make_float4(i, 10 + i, 20 + i, 30 + i);
}

namespace geo {
// A rectangle's.
[[kernix::bind]] __device__ inline float area(float width, float height = 2.0f) { return width * height; }
namespace inner {
[[kernix::bind]] __device__ int doubled(int x) { return 2 * x; }
} // namespace inner
} // namespace geo

[[kernix::bind]] __device__ float square(float x) { return x * x; }
[[kernix::bind]] __device__ double square(double x) { return x * x; }
[[kernix::bind]] __device__ int square(int x) { return x * x; }

[[kernix::bind]] __device__ void by_value(RunningStats &state) { state.count = 0; }
[[kernix::bind]] __device__ int count_of(RunningStats state) { return state.count; }
[[kernix::bind]] __device__ RunningStats made(int count, float sum) { return {count, sum, sum * sum}; }

[[kernix::bind]] __device__ void two_results(float x, [[kernix::intent(out_return)]] double &half,
                                             [[kernix::intent(out_return)]] int &&floor) {
  half = x / 2;
  floor = static_cast<int>(x);
}
[[kernix::bind]] __device__ int all_results(float x, [[kernix::intent(out_return)]] bool &positive,
                                            [[kernix::intent(out_array_return, 2)]] double *powers) {
  positive = x > 0;
  powers[0] = x;
  powers[1] = x * x;
  return 7;
}
[[kernix::bind]] __device__ void by_reference([[kernix::intent(out_array_return)]] int (&out)[3]) {
  for (int i = 0; i < 3; ++i)
    out[i] = i + 1;
}

[[kernix::bind]] __device__ float4 scaled(float4 v, float a) { return make_float4(a * v.x, a * v.y, a * v.z, a * v.w); }
[[kernix::bind]] __device__ int2 swapped(int2 v) { return make_int2(v.y, v.x); }
[[kernix::bind]] __device__ __nv_bfloat16 brain(__nv_bfloat16 x) { return x; }
[[kernix::bind]] __device__ float positive_only(float x) {
  assert(x > 0);
  return x;
}
[[kernix::bind]] __device__ __half halved(__half x) { return __hmul(x, __float2half(0.5f)); }

struct Mixed {
  short key;
  double value;
};
[[kernix::bind]] __device__ void doubled_in_place([[kernix::intent(inout_ptr)]] Mixed &m) { m.value *= m.key; }

enum class Color : int { Red = 1, Blue = 4 };
[[kernix::bind]] __device__ int color(Color c) { return static_cast<int>(c) * 10; }
[[kernix::bind]] __device__ long long small_numbers(bool a, signed char b, unsigned char c, short d, unsigned short e,
                                                    unsigned f, long long g, unsigned long long h) {
  return static_cast<long long>(a) + b + c + d + e + f + g + static_cast<long long>(h);
}
[[kernix::bind]] __device__ float sum_of(const float *values, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}
[[kernix::bind]] __device__ void fill(double *values, int count, double value) {
  for (int i = 0; i < count; ++i)
    values[i] = value;
}

// Defaults of every kind.
[[kernix::bind]] __device__ double defaults(float a, float b = 2.5f, int c = -3, bool d = true,
                                            unsigned long long e = 0xffffffffffffffff) {
  return a + 10 * b + 100 * c + (d ? 1000 : 0) + (e == 0xffffffffffffffff ? 0.25 : 0.5);
}
[[kernix::bind]] __device__ float of_halves(float in, __half half = 1.5f, __nv_bfloat16 brain = 3.0f) {
  return in * __half2float(half) * __bfloat162float(brain);
}

struct Inner {
  short key;
  double weights[2];
};
struct Nested {
  bool on;
  Inner inner;
  float3 place;
};
[[kernix::bind]] __device__ double nested(Nested n) {
  return n.on ? n.inner.key + n.inner.weights[0] * n.inner.weights[1] + n.place.x + n.place.z : -1;
}
[[kernix::bind]] __device__ Nested nested_made(short key) { return {true, {key, {1.5, 2.5}}, {1, 2, 3}}; }

[[kernix::bind, kernix::differentiable]] __device__ float cube(float x, [[kernix::diff]] float k) {
  return k * x * x * x;
}
[[kernix::bind, kernix::differentiable]] __device__ float weighted(const float *w, float x) {
  return w[0] * x + w[1] * x * x;
}

[[kernix::bind]] __device__ float viewed(kernix::TensorView<const float> x) { return x(0); }

[[kernix::bind]] __device__ int key_of(Inner inner) { return inner.key; }
struct Outer {
  Inner inner;
  int count;
};
[[kernix::bind]] __device__ double outer(Outer o) {
  return o.inner.key + o.inner.weights[0] * 10 + o.inner.weights[1] * 100 + o.count;
}
[[kernix::bind]] __device__ Outer outer_made(int count, double weight) { return {{7, {weight, 2 * weight}}, count}; }

struct Pair {
  float first, second;
};
[[kernix::bind]] __device__ void pairs([[kernix::intent(out_array_return)]] Pair out[2]) {
  out[1].second = out[0].first = 1;
}
