// CUDA's vector types, by value, in memory and as elements of tensors. Written for float; double where there is a twin.
#include "bank.h"

// bank: x in f32 [n, 4] -1:1 | w in f32 [n, 4] -1:1 | y out f32 [n, 4] | n = 30 | @types f32
PLAIN_KERNEL void float4_product(const float4 *x, const float4 *w, float4 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 a = x[i], b = w[i];
  y[i] = make_float4(a.x * b.x, a.y * b.y - a.x, a.z * b.z * a.w, sinf(a.w) + b.w);
}

// bank: x in f32 [n, 2] -1:1 | y out f32 [n] | n = 30 | @types f32
PLAIN_KERNEL void float2_length(const float2 *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float2 v = x[i];
  y[i] = sqrtf(v.x * v.x + v.y * v.y + 0.1f);
}

// bank: x in f32 [n, 3] -1:1 | y out f32 [n, 3] | n = 30 | @types f32
PLAIN_KERNEL void float3_normalised(const float3 *x, float3 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float3 v = x[i];
  float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 0.2f);
  v.x *= s;
  v.y *= s;
  v.z *= s;
  y[i] = v;
}

// bank: x in f64 [n, 2] -1:1 | w in f64 [n, 2] -1:1 | y out f64 [n, 2] | n = 30 | @types f64
PLAIN_KERNEL void double2_complex(const double2 *x, const double2 *w, double2 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double2 a = x[i], b = w[i];
  y[i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// bank: x in f64 [n, 4] -1:1 | y out f64 [n, 4] | n = 30 | @types f64
PLAIN_KERNEL void double4_copy(const double4 *x, double4 *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i];
}

// bank: x in f32 [n, 4] -1:1 | y out f32 [n, 4] | n = 30 | @types f32
PLAIN_KERNEL void scalars_read_as_vectors(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 v = reinterpret_cast<const float4 *>(x)[i];
  v.x *= v.y;
  v.w += v.z * v.z;
  reinterpret_cast<float4 *>(y)[i] = v;
}

// bank: x in f32 [n, 4] -1:1 | y out f32 [n] | n = 20 | @types f32
PLAIN_KERNEL void vector_in_loop(const float4 *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 s = make_float4(0, 0, 0, 1);
  for (int k = 0; k < 3; ++k) {
    float4 v = x[(i + k) % n];
    s = make_float4(s.x + v.x * s.w, s.y - v.y, s.z * v.z + 1, s.w * v.w);
  }
  y[i] = s.x * s.y + s.z * s.w;
}

// bank: x in f32 [n, 4] -1:1 | y out f32 [n] | n = 20 | @types f32
PLAIN_KERNEL void vector_as_array(const float4 *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 v = x[i];
  const float *p = &v.x;
  float s = 0;
  for (int k = 0; k < 4; ++k)
    s = s * 0.5f + p[k] * p[(k + 1) & 3];
  y[i] = s;
}

// bank: x in f32 [n, 4] -1:1 | at in i32 [n, 2] 0:20 | y out f32 [n] | n = 20 | @types f32
PLAIN_KERNEL void vector_gather(const float4 *x, const int2 *at, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int2 k = at[i];
  y[i] = x[k.x].x * x[k.y].w + x[k.x].z;
}
