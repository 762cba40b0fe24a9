// Functions of the user's own under names of CUDA's: each has the derivative of its body.
#include "bank.h"

// Complex numbers in pairs, by the names that CUDA has for one number.
__device__ inline __half2 __hmul(__half2 a, __half2 b) {
  return __halves2half2(__hsub(__hmul(__low2half(a), __low2half(b)), __hmul(__high2half(a), __high2half(b))),
                        __hadd(__hmul(__low2half(a), __high2half(b)), __hmul(__high2half(a), __low2half(b))));
}
static __device__ __nv_bfloat162 __hmul(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __halves2bfloat162(
      __hsub(__hmul(__low2bfloat16(a), __low2bfloat16(b)), __hmul(__high2bfloat16(a), __high2bfloat16(b))),
      __hadd(__hmul(__low2bfloat16(a), __high2bfloat16(b)), __hmul(__high2bfloat16(a), __low2bfloat16(b))));
}
/// The conjugate.
__device__ inline __half2 __hneg(__half2 a) { return __halves2half2(__low2half(a), __hneg(__high2half(a))); }

// bank: x in f16 [64] -1:1 | w in f16 [64] -1:1 | y out f16 [64] | n = 32 | @types f16
PLAIN_KERNEL void complex_halves(const __half *x, const __half *w, __half *y, int n) {
  int i = thread_index();
  if (i < n)
    reinterpret_cast<__half2 *>(y)[i] =
        __hmul(reinterpret_cast<const __half2 *>(x)[i], __hneg(reinterpret_cast<const __half2 *>(w)[i]));
}

// bank: x in bf16 [64] -1:1 | w in bf16 [64] -1:1 | y out bf16 [64] | n = 32 | @types bf16
PLAIN_KERNEL void complex_bfloats(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i < n)
    reinterpret_cast<__nv_bfloat162 *>(y)[i] =
        __hmul(reinterpret_cast<const __nv_bfloat162 *>(x)[i], reinterpret_cast<const __nv_bfloat162 *>(w)[i]);
}

// Loads and stores of three numbers, which CUDA has not: not aligned as a whole.
__device__ inline float3 __ldg(const float3 *p) { return make_float3(__ldg(&p->x), __ldg(&p->y), __ldg(&p->z)); }
__device__ inline double3 __ldg(const double3 *p) { return make_double3(__ldg(&p->x), __ldg(&p->y), __ldg(&p->z)); }
__device__ inline void __stcs(float3 *p, float3 v) { p->x = v.x, p->y = v.y, p->z = v.z; }
__device__ inline void __stcs(double3 *p, double3 v) { p->x = v.x, p->y = v.y, p->z = v.z; }
template <class T> struct Three;
template <> struct Three<float> {
  using type = float3;
};
template <> struct Three<double> {
  using type = double3;
};

// bank: x in [n, 3] -1:1 | y out [n, 3] | n = 33
KERNEL void loads_of_three(const T *x, T *y, int n) {
  using V = typename Three<T>::type;
  int i = thread_index();
  if (i >= n)
    return;
  V v = __ldg(reinterpret_cast<const V *>(x) + i);
  v.x *= v.y;
  v.z = sin(v.z * v.x);
  __stcs(reinterpret_cast<V *>(y) + i, v);
}

struct Best {
  float value;
  int lane;
};
/// The body adds, which no shuffle does.
__device__ inline Best __shfl_xor_sync(unsigned mask, Best b, int lanes, int width) {
  Best other;
  other.value = b.value + 0.5f * __shfl_xor_sync(mask, b.value, lanes, width);
  other.lane = __shfl_xor_sync(mask, b.lane, lanes, width);
  return other;
}
__device__ inline double2 __shfl_xor_sync(unsigned mask, double2 v, int lanes, int width) {
  return make_double2(__shfl_xor_sync(mask, v.y, lanes, width), v.x * __shfl_xor_sync(mask, v.x, lanes, width));
}

// bank: x in f32 [n] -1:1 | y out f32 [n] | n = 32 | @types f32
PLAIN_KERNEL void shuffles_of_structs(const float *x, float *y, int n) {
  Best b = {x[lane()], lane()};
  Best other = __shfl_xor_sync(0xffffffffu, b, 3, 32);
  y[lane()] = other.value * b.value + other.lane;
}

// bank: x in f64 [n] -1:1 | y out f64 [n] | n = 32 | @types f64
PLAIN_KERNEL void shuffles_of_pairs(const double *x, double *y, int n) {
  double2 v = make_double2(x[lane()], x[lane()] * x[lane()]);
  for (int k = 1; k < 32; k *= 2)
    v = __shfl_xor_sync(0xffffffffu, v, k, 32);
  y[lane()] = v.x + v.y;
}

__device__ inline void atomicAdd(float3 *p, float3 v) {
  atomicAdd(&p->x, v.x);
  atomicAdd(&p->y, v.y);
  atomicAdd(&p->z, v.z * v.z);
}
__device__ inline void atomicAdd(double3 *p, double3 v) {
  atomicAdd(&p->x, v.x);
  atomicAdd(&p->y, v.y);
  atomicAdd(&p->z, v.z * v.z);
}

// bank: x in [n, 3] -1:1 | y inout [3] | n = 40
KERNEL void sums_of_three(const T *x, T *y, int n) {
  using V = typename Three<T>::type;
  int i = thread_index();
  if (i < n)
    atomicAdd(reinterpret_cast<V *>(y), reinterpret_cast<const V *>(x)[i]);
}

// What the headers of CUDA's samples add to its vectors.
__host__ __device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__host__ __device__ inline float4 operator*(float s, float4 a) {
  return make_float4(s * a.x, s * a.y, s * a.z, s * a.w);
}
__host__ __device__ inline float4 fminf(float4 a, float4 b) {
  return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w));
}
__host__ __device__ inline float4 max(float4 a, float4 b) {
  return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}
__host__ __device__ inline float3 rsqrt(float3 a) { return make_float3(rsqrtf(a.x), rsqrtf(a.y), rsqrtf(a.z)); }
__host__ __device__ inline float2 lerp(float2 a, float2 b, float t) {
  return make_float2(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
}
__host__ __device__ inline float clamp(float x, float low, float high) { return fmaxf(low, fminf(x, high)); }

// bank: a in f32 [n, 4] 0.5:1 | b in f32 [n, 4] 1.5:2 | y out f32 [n] | n = 30 | @types f32
PLAIN_KERNEL void helper_functions(const float *a, const float *b, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 u = reinterpret_cast<const float4 *>(a)[i], v = reinterpret_cast<const float4 *>(b)[i];
  float4 low = fminf(u, v), high = max(u, 0.25f * v + u);
  float3 r = rsqrt(make_float3(low.x, high.y, high.z));
  float2 between = lerp(make_float2(low.w, low.y), make_float2(high.w, high.x), u.x);
  y[i] = r.x * r.y + clamp(r.z, 0.0f, 10.0f) * between.x * between.y;
}

/// Found by its argument, a friend that no namespace encloses.
struct Dual {
  __half2 pair;
  friend __device__ __half2 __hadd(__half2 a, const Dual &b) {
    return __halves2half2(__hmul(__low2half(a), __low2half(b.pair)), __high2half(a));
  }
};

// bank: x in f16 [64] -1:1 | y out f16 [64] | n = 32 | @types f16
PLAIN_KERNEL void friends(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __half2 pair = reinterpret_cast<const __half2 *>(x)[i];
  reinterpret_cast<__half2 *>(y)[i] = __hadd(pair, Dual{pair});
}
