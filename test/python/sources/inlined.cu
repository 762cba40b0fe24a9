// Device functions of numbers whose code has every kind of instruction that text for libNVVM is made of.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define BIND [[kernix::bind]] __device__
using i64 = long long;
using u64 = unsigned long long;

// -- integers
BIND int divided(int a, int b) { return b == 0 || b == -1 ? 0 : a / b + a % b; }
BIND unsigned by_seven(unsigned a) { return a / 7; }
BIND i64 products(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b)) - (a >> 3); }
BIND u64 high(u64 a, u64 b) { return __umul64hi(a, b); }
BIND u64 wide(u64 a, u64 b) {
  unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
  return static_cast<u64>(p >> 64) ^ static_cast<u64>(p);
}
BIND int closed_form(int n) {
  int s = 0;
  for (int i = 0; i < (n & 0x3ff); ++i)
    s += i * i;
  return s;
}
BIND unsigned rotated(unsigned a, int n) { return (a << (n & 31)) | (a >> ((32 - n) & 31)); }
BIND u64 rotated_right(u64 a, int n) { return (a >> (n & 63)) | (a << ((64 - n) & 63)); }
BIND unsigned funnel(unsigned a, unsigned b, unsigned n) { return __funnelshift_l(a, b, n) + __funnelshift_r(a, b, n); }
BIND unsigned below(unsigned a, unsigned b) { return a > b ? a - b : 0; }
BIND unsigned above(unsigned a, unsigned b) {
  unsigned s = a + b;
  return s < a ? 0xffffffffU : s;
}
BIND int bits(unsigned a, u64 b) {
  return __popc(a) + __clz(a) + __ffs(a) + static_cast<int>(__brev(a)) + __popcll(b) + __clzll(b) + __ffsll(b);
}
BIND unsigned swapped(unsigned a) { return __byte_perm(a, 0, 0x0123); }
BIND short shorts(short a, short b) { return static_cast<short>(a * b + (a < b)); }
BIND signed char chars(signed char a, signed char b) { return static_cast<signed char>(a / (b ? b : 1) + a); }
BIND unsigned char bytes(unsigned char a, unsigned char b) { return static_cast<unsigned char>(a * 3 + b); }
BIND bool logic(int a, int b) { return a > 3 && (b < 5 || a == b); }
BIND int chosen(int a) {
  switch (a % 11) {
  case 0:
    return 5;
  case 1:
    return a ^ 2;
  case 3:
    return a ^ 0x55;
  case -3:
    return 9;
  default:
    return a;
  }
}
BIND int steps(int n) {
  int k = 0;
  for (unsigned x = static_cast<unsigned>(n & 0xffff) | 1; x != 1 && k < 1000; ++k)
    x = x & 1 ? 3 * x + 1 : x / 2;
  return k;
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
BIND int recursive(int n) { return fibonacci(n & 15); }
__device__ __noinline__ float helper(float x, int k) { return x * static_cast<float>(k) + 1; }
BIND float outlined(float x, int k) { return helper(x, k & 7) + helper(x + 1, k & 3); }
BIND int order(i64 a, i64 b) { return (a > b) - (a < b); }
BIND int order_of_unsigned(u64 a, u64 b) { return (a > b) - (a < b); }
BIND int clamped(int a) { return a < -100 ? -100 : a > 100 ? 100 : a; }
BIND int checked(int a, int b) {
  int sum, product;
  return (__builtin_add_overflow(a, b, &sum) ? -1 : sum) ^ (__builtin_mul_overflow(a, b, &product) ? -1 : product);
}
BIND u64 checked_wide(u64 a, u64 b) {
  u64 product;
  return __builtin_mul_overflow(a, b, &product) ? 7 : product;
}
struct Fields {
  unsigned a : 3;
  int b : 5;
  unsigned c : 24;
};
BIND int bit_fields(int x) {
  Fields f{static_cast<unsigned>(x) & 7, (x >> 3) & 15, (static_cast<unsigned>(x) >> 5) & 0xffff};
  f.c += f.a;
  return static_cast<int>(f.a) + f.b * 3 + static_cast<int>(f.c);
}

// -- floating point
BIND float arithmetic(float a, float b) { return a * b + a / b - sqrtf(fabsf(a)); }
BIND double arithmetic_wide(double a, double b) { return a * b + a / b - sqrt(fabs(a)) + fma(a, b, 1.0); }
BIND float rests(float a, float b) { return fmodf(a, b) + remainderf(a, b); }
BIND float extremes(float a, float b) { return fminf(a, b) + 2 * fmaxf(a, b) + (a < b ? a : b); }
BIND int classes(float a, double b) {
  return isnan(a) + 2 * isinf(a) + 4 * static_cast<int>(signbit(a)) + 8 * isfinite(b) + 16 * isnan(b);
}
BIND int converted(float a) { return static_cast<int>(a) + __float2int_rn(a) + __float2int_rd(a); }
BIND i64 converted_wide(double a) { return static_cast<i64>(a) + __double2ll_rn(a); }
BIND float from_int(int a, u64 b) { return static_cast<float>(a) + __int2float_rz(a) + static_cast<float>(b); }
BIND float rounded(float a) { return floorf(a) + 10 * ceilf(a) + 100 * truncf(a) + 1000 * rintf(a) + nearbyintf(a); }
BIND double rounded_wide(double a) { return floor(a) + 10 * ceil(a) + 100 * trunc(a) + 1000 * rint(a) + round(a); }
BIND int as_int(float a) { return __float_as_int(a) ^ 0x1234; }
BIND double halves_of(double a) { return __hiloint2double(__double2hiint(a) ^ 1, __double2loint(a)); }
BIND float parts(float a) {
  int exponent;
  float whole, mantissa = frexpf(a, &exponent), rest = modff(a, &whole);
  return mantissa + static_cast<float>(exponent) + rest + 100 * whole;
}
BIND float angles(float a) {
  float s, c;
  sincosf(a, &s, &c);
  return s * 2 + c;
}
BIND float powers(float a) { return powf(fabsf(a), 1.7f) + expf(a) + cbrtf(a) + logf(fabsf(a) + 1); }
BIND double powers_wide(double a) { return pow(fabs(a), 1.7) + exp(a) + sin(a) + erf(a); }
BIND float rough(float a) { return __sinf(a) + __expf(a) + __logf(fabsf(a) + 1) + __fdividef(a, 3.0f); }
BIND float directed(float a, float b) {
  return __fmaf_rn(a, b, 1.0f) + __fmul_rz(a, b) + __fadd_ru(a, b) + __saturatef(a);
}
BIND float signs(float a, float b) { return copysignf(a, b) - (-a); }
BIND double negative(double a) { return -a; }
BIND float polynomial(float x) {
  const float c[6] = {1, -2, 3, -4, 5, -6};
  float s = 0;
  for (float each : c)
    s = s * x + each;
  return s;
}
BIND float not_numbers(int k) { return k & 1 ? __builtin_nansf("5") : __int_as_float(0x7fc00001); }
BIND float half_numbers(float a, float b) {
  const __half x = __float2half(a), y = __float2half(b);
  return __half2float(__hadd(__hmul(x, y), x)) + __half2float(hsqrt(__habs(x)));
}
BIND float half_type(float a, float b) {
  const auto x = static_cast<_Float16>(a), y = static_cast<_Float16>(b);
  return static_cast<float>(x * y - x);
}
BIND float brain_numbers(float a, float b) {
  const __nv_bfloat16 x = __float2bfloat16(a), y = __float2bfloat16(b);
  return __bfloat162float(__hadd(__hmul(x, y), x));
}
using Four = float __attribute__((ext_vector_type(4)));
BIND float shuffled(float a, float b) {
  const Four v = {a, b, a + b, a - b}, w = v.wzxy * v.yyxx + v;
  return w.x + 2 * w.y - w.z * w.w;
}

// -- memory
__constant__ float of_constants[5] = {1.5F, 2.5F, 3.5F, 4.5F, 5.5F};
struct Row {
  float x;
  short k;
  double d;
};
static __device__ const Row rows[3] = {{1.0F, 2, 3.0}, {4.0F, -5, 6.5}, {7.0F, 8, -9.25}};
BIND float table(unsigned i) { return of_constants[i % 5]; }
BIND double table_of_rows(unsigned i) { return rows[i % 3].x + rows[i % 3].k + rows[i % 3].d; }
BIND int letters(unsigned i) { return "kernix"[i % 6]; }
BIND int array(int a) {
  int t[16], s = 0;
  for (int i = 0; i < 16; ++i)
    t[i] = (a & 0xff) * i;
  t[a & 15] += 3;
  for (int i = 0; i < 16; ++i)
    s = (s ^ t[(i * 7 + (a & 7)) & 15]) * 3 & 0xffffff;
  return s;
}
BIND int sorted(unsigned x) {
  int t[8];
  for (int &each : t)
    each = static_cast<int>((x = x * 1664525U + 1013904223U) >> 16);
  for (int i = 1; i < 8; ++i)
    for (int j = i; j > 0 && t[j - 1] > t[j]; --j) {
      const int swap = t[j];
      t[j] = t[j - 1];
      t[j - 1] = swap;
    }
  return t[2] * 3 + t[5];
}
BIND int copied(int a) {
  struct Many {
    int v[40];
  } x, y;
  for (int i = 0; i < 40; ++i)
    x.v[i] = (a & 0xffff) + i * i;
  y = x;
  y.v[a & 31] = 7;
  x = y;
  unsigned s = 0;
  for (int each : x.v)
    s = s * 5 + static_cast<unsigned>(each);
  return static_cast<int>(s);
}
union Both {
  float number;
  unsigned char bytes[4];
};
BIND float one_byte(float a) {
  Both both{a};
  both.bytes[1] ^= 0x40;
  return both.number;
}
template <class F> __device__ int twice(F f, int a) { return f(f(a)); }
BIND int lambda(int a, int b) {
  return twice([b](int x) { return (x & 0xff) * (b & 0xff) + 1; }, a);
}

#ifndef __KERNIX_CPU__
BIND float assembly(float a, int b) {
  float product;
  int copy, sum;
  asm("mul.f32 %0, %2, %2;\n\tmov.b32 %1, %2;" : "=f"(product), "=r"(copy) : "f"(a));
  asm volatile("{\n\t.reg .u32 t;\n\tmov.u32 t, %1;\n\tadd.u32 %0, t, 1;\n}" : "=r"(sum) : "r"(b) : "memory");
  return product + static_cast<float>((copy & 1) + (sum & 1));
}
#endif

// -- what has no such text: it is in PTX that kernels are linked with
__device__ int plus_one(int a) { return (a & 0xffff) + 1; }
__device__ int doubled(int a) { return (a & 0xffff) * 2; }
BIND int linked_by_address(int a) {
  int (*const f)(int) = a & 1 ? plus_one : doubled;
  return f(a);
}
BIND int linked_atomics(int a) {
  __shared__ int sum;
  sum = 0;
  atomicAdd(&sum, 0);
  return (a & 0xffff) + sum;
}
BIND int linked_barrier(int a) { return (a & 0xffff) + __syncthreads_or(0); }
