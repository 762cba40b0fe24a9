// Numbers that pass through integers: words that lanes exchange, signs and exponents.
#include "bank.h"

__device__ inline float across(float v, int step) {
  return __int_as_float(__shfl_xor_sync(0xffffffffu, __float_as_int(v), step));
}
// As it was written before there was a shuffle of double.
__device__ inline double across(double v, int step) {
  int high = __double2hiint(v), low = __double2loint(v);
  high = __shfl_xor_sync(0xffffffffu, high, step);
  low = __shfl_xor_sync(0xffffffffu, low, step);
  return __hiloint2double(high, low);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void words_of_other_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  for (int step = 16; step > 0; step /= 2)
    v += across(v, step);
  y[i] = x[i] / v + across(x[i], 3);
}

__device__ inline float last_lane(float v) {
  int word = *reinterpret_cast<int *>(&v);
  word = __shfl_sync(0xffffffffu, word, 31);
  return *reinterpret_cast<float *>(&word);
}
__device__ inline double last_lane(double v) {
  int2 words = *reinterpret_cast<int2 *>(&v);
  words.x = __shfl_sync(0xffffffffu, words.x, 31);
  words.y = __shfl_sync(0xffffffffu, words.y, 31);
  return *reinterpret_cast<double *>(&words);
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | steps = 3
ONCE_KERNEL void words_in_a_loop(const T *x, T *y, int n, int steps) {
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < steps; ++k)
    v = sin(v) * last_lane(v) + x[i];
  y[i] = v;
}

// The largest number and where it is, as one key. Of positive numbers.
// bank: x in f32 [n] 0.5:1.5 | w in f32 [n] -1:1 | y out f32 [n] | n = 64 | @types f32
PLAIN_KERNEL void largest_key(const float *x, const float *w, float *y, int n) {
  int i = thread_index();
  unsigned long long key = static_cast<unsigned long long>(__float_as_uint(x[i])) << 32 | static_cast<unsigned>(i);
  for (int step = 16; step > 0; step /= 2) {
    unsigned long long other = __shfl_xor_sync(0xffffffffu, key, step);
    key = other > key ? other : key;
  }
  y[i] = __uint_as_float(static_cast<unsigned>(key >> 32)) * w[static_cast<unsigned>(key) % n];
}

// bank: x in f16 [128] -1:1 | y out f16 [128] | n = 64 | @types f16
PLAIN_KERNEL void pairs_as_words(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __half2 v = reinterpret_cast<const __half2 *>(x)[i];
  unsigned word = *reinterpret_cast<unsigned *>(&v);
  unsigned other = __shfl_xor_sync(0xffffffffu, word, 5);
  unsigned turned = __funnelshift_l(other, other, 16);
  __half2 w = *reinterpret_cast<__half2 *>(&turned);
  reinterpret_cast<__half2 *>(y)[i] = __hmul2(v, w);
}

// bank: x in f16 [128] -1:1 | y out f16 [128] | n = 64 | @types f16
PLAIN_KERNEL void bytes_of_pairs(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const unsigned *in = reinterpret_cast<const unsigned *>(x);
  unsigned uppers = __byte_perm(in[i], in[(i + 1) % n], 0x7632);
  __half2 u = *reinterpret_cast<__half2 *>(&uppers), v = reinterpret_cast<const __half2 *>(x)[i];
  reinterpret_cast<__half2 *>(y)[i] = __hmul2(v, u);
}

__device__ inline float without_sign(float v) { return __int_as_float(__float_as_int(v) & 0x7fffffff); }
__device__ inline double without_sign(double v) {
  return __longlong_as_double(__double_as_longlong(v) & 0x7fffffffffffffffLL);
}
__device__ inline float turned(float v) { return __uint_as_float(__float_as_uint(v) ^ 0x80000000u); }
__device__ inline double turned(double v) {
  return __hiloint2double(__double2hiint(v) ^ static_cast<int>(0x80000000u), __double2loint(v));
}
__device__ inline float with_sign_of(float v, float s) {
  return __uint_as_float((__float_as_uint(v) & 0x7fffffffu) | (__float_as_uint(s) & 0x80000000u));
}
__device__ inline double with_sign_of(double v, double s) {
  return __longlong_as_double((__double_as_longlong(v) & 0x7fffffffffffffffLL) |
                              (__double_as_longlong(s) & (1LL << 63)));
}
__device__ inline float times_sign_of(float v, float s) {
  return __uint_as_float(__float_as_uint(v) ^ (__float_as_uint(s) & 0x80000000u));
}
__device__ inline double times_sign_of(double v, double s) {
  return __longlong_as_double(__double_as_longlong(v) ^ (__double_as_longlong(s) & (1LL << 63)));
}

// bank: x in [n] -1:1 | s in [n] -1:1 | y out [n] | n = 30
KERNEL void signs(const T *x, const T *s, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = without_sign(x[i]) * s[i] + turned(x[i]) * x[i] + with_sign_of(x[i], s[i]) * s[i] +
         times_sign_of(x[i], s[i]) * x[i];
}

__device__ inline float with_sign_added(float v, int by) {
  return __uint_as_float(__float_as_uint(v) + (static_cast<unsigned>(by) << 31));
}
__device__ inline double with_sign_added(double v, int by) {
  return __longlong_as_double(__double_as_longlong(v) + (static_cast<unsigned long long>(by) << 63));
}

// A sign that is added to the bits: two make none.
// bank: x in [n] 0.1:1 | y out [n] | n = 30
KERNEL void signs_added(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = with_sign_added(with_sign_added(x[i], i), i / 2) * sin(x[i]);
}

__device__ inline float scaled(float v, int by) { return __int_as_float(__float_as_int(v) + (by << 23)); }
__device__ inline double scaled(double v, int by) {
  return __longlong_as_double(__double_as_longlong(v) + (static_cast<long long>(by) << 52));
}
__device__ inline int exponent(float v) { return ((__float_as_int(v) >> 23) & 255) - 127; }
__device__ inline int exponent(double v) { return ((__double2hiint(v) >> 20) & 2047) - 1023; }

// bank: x in [n] -3:3 | y out [n] | n = 30
KERNEL void exponential_by_exponent(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T z = x[i] * T(1.4426950408889634);
  T whole = floor(z), f = z - whole;
  T p = T(1) + f * (T(0.6957) + f * (T(0.2262) + f * T(0.0780)));
  y[i] = scaled(p, static_cast<int>(whole)) * x[i];
}

// bank: x in [n] 0.1:9 | y out [n] | n = 30
KERNEL void steps_of_exponents(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * exponent(x[i]) + sin(x[i]);
}

__device__ inline unsigned hash(unsigned a, unsigned b) {
  unsigned h = __funnelshift_l(a, b, 13) * 5u + 0xe6546b64u;
  h = __funnelshift_r(h, b, 7) ^ __funnelshift_lc(h, a, b & 63) ^ __funnelshift_rc(a, h, 40);
  return h ^ (h >> 16);
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void read_by_hash(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float uniform = __uint_as_float((hash(i, n) >> 9) | 0x3f800000u) - 1.0f;
  y[i] = x[hash(n, i) % n] * x[i] * T(uniform);
}
