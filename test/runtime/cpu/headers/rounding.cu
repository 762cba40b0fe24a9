// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: %t.O0 && %t.O1 && %t.O2 && %t.O3
//
// Arithmetic and conversions with the rounding in the name. The exact results are recovered as a sum of two numbers;
// the right neighbour follows from the sign of the second.
#include "check.h"
#include <cfloat>
#include <climits>
#include <cmath>
#include <random>
#include <vector>

template <class F> F rounded(long double nearest_and_rest_sign, F nearest, char direction) {
  // `nearest_and_rest_sign`: the sign of exact - nearest.
  long double s = nearest_and_rest_sign;
  F infinity = static_cast<F>(HUGE_VAL);
  if (s == 0 || direction == 'n')
    return nearest;
  if (direction == 'u' || (direction == 'z' && nearest < 0))
    return s > 0 ? std::nextafter(nearest, infinity) : nearest;
  return s < 0 ? std::nextafter(nearest, -infinity) : nearest;
}

struct Float {
  float add[4], sub[4], mul[4], div[4], sqrt[4], rcp[4], fma[4];
};
struct Double {
  double add[4], sub[4], mul[4], div[4], sqrt[4], rcp[4], fma[4];
  float narrow[4];
};
#define FOUR(to, f, ...)                                                                                               \
  to[0] = f##_rn(__VA_ARGS__), to[1] = f##_rz(__VA_ARGS__), to[2] = f##_ru(__VA_ARGS__), to[3] = f##_rd(__VA_ARGS__)

__global__ void floats(const float *in, Float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  Float &r = out[i];
  FOUR(r.add, __fadd, x, y), FOUR(r.sub, __fsub, x, y), FOUR(r.mul, __fmul, x, y), FOUR(r.div, __fdiv, x, y);
  FOUR(r.sqrt, __fsqrt, fabsf(x)), FOUR(r.rcp, __frcp, x), FOUR(r.fma, __fmaf, x, y, z);
}
__global__ void doubles(const double *in, Double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  Double &r = out[i];
  FOUR(r.add, __dadd, x, y), FOUR(r.sub, __dsub, x, y), FOUR(r.mul, __dmul, x, y), FOUR(r.div, __ddiv, x, y);
  FOUR(r.sqrt, __dsqrt, fabs(x)), FOUR(r.rcp, __drcp, x), FOUR(r.fma, __fma, x, y, z);
  FOUR(r.narrow, __double2float, x);
}

struct Integers {
  int i[4];
  unsigned u[4];
  long long l[4];
  unsigned long long ul[4];
};
__global__ void float_integers(const float *in, Integers *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  FOUR(out[i].i, __float2int, in[i]), FOUR(out[i].u, __float2uint, in[i]), FOUR(out[i].l, __float2ll, in[i]);
  FOUR(out[i].ul, __float2ull, in[i]);
}
__global__ void double_integers(const double *in, Integers *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  FOUR(out[i].i, __double2int, in[i]), FOUR(out[i].u, __double2uint, in[i]), FOUR(out[i].l, __double2ll, in[i]);
  FOUR(out[i].ul, __double2ull, in[i]);
}
struct FromInteger {
  float i[4], u[4], l[4], ul[4];
  double dl[4], dul[4];
};
__global__ void from_integers(const long long *in, FromInteger *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long x = in[i];
  FromInteger &r = out[i];
  FOUR(r.i, __int2float, static_cast<int>(x)), FOUR(r.u, __uint2float, static_cast<unsigned>(x));
  FOUR(r.l, __ll2float, x), FOUR(r.ul, __ull2float, static_cast<unsigned long long>(x));
  FOUR(r.dl, __ll2double, x), FOUR(r.dul, __ull2double, static_cast<unsigned long long>(x));
}

__global__ void special(float *f, double *d, int *i) {
  f[0] = __fadd_rz(FLT_MAX, FLT_MAX), f[1] = __fadd_ru(-FLT_MAX, -FLT_MAX), f[2] = __fmul_rd(FLT_MAX, 2.0f);
  f[3] = __fadd_ru(FLT_MAX, 1.0f), f[4] = __fmul_ru(1e-30f, 1e-30f), f[5] = __fmul_rd(-1e-30f, 1e-30f);
  f[6] = __frsqrt_rn(4.0f), f[7] = __fadd_rd(1.0f, -1.0f), f[8] = __double2float_rz(1e300),
  f[9] = __double2float_ru(1e-300);
  f[10] = __double2float_rz(-1e300), f[11] = __double2float_rd(static_cast<double>(nanf("")));
  d[0] = __dadd_rd(DBL_MAX, DBL_MAX), d[1] = __dmul_ru(5e-324, 0.25), d[2] = __int2double_rn(-7),
  d[3] = __uint2double_rn(~0u);
  i[0] = __float2int_rn(nanf("")), i[1] = __double2int_rn(nan("")), i[2] = __float2ll_rz(nanf("")) == LLONG_MIN;
  i[3] = __float2uint_rz(nanf("")) == 0, i[4] = __double2uint_rz(nan("")) == 0x80000000u;
}

constexpr int count = 4096;
std::mt19937_64 generator(3);

// The exponents are so near that no intermediate result below leaves the normal range.
template <class F> F some(int exponents) {
  auto mantissa = static_cast<F>(1) + std::ldexp(static_cast<F>(generator() >> 12), -52);
  return std::ldexp(generator() % 2 ? mantissa : -mantissa, static_cast<int>(generator() % exponents) - exponents / 2);
}

template <class F, class Result> void check_arithmetic(const std::vector<F> &in, const std::vector<Result> &out) {
  const char directions[] = "nzud";
  for (int i = 0; i < count; ++i) {
    F x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    // Error-free: what a nearest operation of the same precision leaves over, by fma or by Knuth's sum.
    auto sum_rest = [](F a, F b) {
      volatile F s = a + b, t = s - a, u = s - t, v = b - t, w = a - u;
      return static_cast<long double>(w + v);
    };
    F product = x * y, quotient = x / y, root = std::sqrt(std::fabs(x)), inverse = 1 / x;
    F low = std::fma(x, y, -product); // x * y = product + low
    F fused = std::fma(x, y, z);
    // product + low + z - fused, of which the two large terms cancel without error
    volatile F big = product - fused, small_z = z;
    long double rest = static_cast<long double>(product) - fused + z;
    rest += low;
    (void)big, (void)small_z;
    for (int k = 0; k < 4; ++k) {
      char d = directions[k];
      CHECK(out[i].add[k] == rounded(sum_rest(x, y), x + y, d));
      CHECK(out[i].sub[k] == rounded(sum_rest(x, -y), x - y, d));
      CHECK(out[i].mul[k] == rounded(static_cast<long double>(low), product, d));
      CHECK(out[i].div[k] == rounded(static_cast<long double>(std::fma(-quotient, y, x) / y), quotient, d));
      CHECK(out[i].sqrt[k] == rounded(static_cast<long double>(std::fma(-root, root, std::fabs(x))), root, d));
      CHECK(out[i].rcp[k] == rounded(static_cast<long double>(std::fma(-inverse, x, F(1)) / x), inverse, d));
      if (sizeof(F) == 4)
        CHECK(out[i].fma[k] == rounded(rest, fused, d));
    }
    CHECK(out[i].fma[3] <= fused && fused <= out[i].fma[2] && out[i].fma[0] == fused);
    CHECK(std::nextafter(out[i].fma[3], F(HUGE_VAL)) >= out[i].fma[2] &&
          (out[i].fma[1] == out[i].fma[2] || out[i].fma[1] == out[i].fma[3]));
  }
}

template <class I> I to_integer(long double x, char direction, I nan) {
  if (std::isnan(x))
    return nan;
  x = direction == 'n'   ? std::rint(x)
      : direction == 'z' ? std::trunc(x)
      : direction == 'u' ? std::ceil(x)
                         : std::floor(x);
  if (x <= static_cast<long double>(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  if (x >= static_cast<long double>(std::numeric_limits<I>::max()))
    return std::numeric_limits<I>::max();
  return static_cast<I>(x);
}

template <class F> void check_integers(void (*kernel)(const F *, Integers *)) {
  std::vector<F> in(count);
  for (F &x : in)
    x = some<F>(140);
  int k = 0;
  for (F x : {F(0.5), F(1.5), F(2.5), F(-0.5), F(-1.5), F(0), F(-0.0), F(HUGE_VAL), F(-HUGE_VAL), F(NAN), F(2147483647),
              F(2147483648), F(-2147483648.0), F(4294967296.0), F(9223372036854775807ll), F(1e19), F(1.8446744e19),
              F(-1e-30), F(1e-30)})
    in[k++] = x;
  std::vector<Integers> out(count);
  kernel<<<count / 128, 128>>>(in.data(), out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  bool wide = sizeof(F) == 8;
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < 4; ++d) {
      CHECK(out[i].i[d] == to_integer<int>(in[i], "nzud"[d], wide ? INT_MIN : 0));
      CHECK(out[i].u[d] == to_integer<unsigned>(in[i], "nzud"[d], wide ? 1u << 31 : 0));
      CHECK(out[i].l[d] == to_integer<long long>(in[i], "nzud"[d], LLONG_MIN));
      CHECK(out[i].ul[d] == to_integer<unsigned long long>(in[i], "nzud"[d], 1ull << 63));
    }
}

int main() {
  std::vector<float> f(3 * count);
  for (float &x : f)
    x = some<float>(7);
  std::vector<Float> fr(count);
  floats<<<count / 128, 128>>>(f.data(), fr.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  check_arithmetic(f, fr);
  std::vector<double> d(3 * count);
  for (double &x : d)
    x = some<double>(40);
  std::vector<Double> dr(count);
  doubles<<<count / 128, 128>>>(d.data(), dr.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  check_arithmetic(d, dr);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 4; ++k) {
      auto nearest = static_cast<float>(d[3 * i]);
      CHECK(dr[i].narrow[k] == rounded(static_cast<long double>(d[3 * i]) - nearest, nearest, "nzud"[k]));
    }

  check_integers<float>(float_integers);
  check_integers<double>(double_integers);

  std::vector<long long> whole(count);
  for (int i = 0; i < count; ++i)
    whole[i] = static_cast<long long>(generator()) >> i % 64;
  std::vector<FromInteger> from(count);
  from_integers<<<count / 128, 128>>>(whole.data(), from.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 4; ++k) {
      auto check = [&]<class F>(auto x, F found) {
        auto nearest = static_cast<F>(x);
        CHECK(found == rounded(static_cast<long double>(x) - nearest, nearest, "nzud"[k]));
      };
      check(static_cast<int>(whole[i]), from[i].i[k]), check(static_cast<unsigned>(whole[i]), from[i].u[k]);
      check(whole[i], from[i].l[k]), check(static_cast<unsigned long long>(whole[i]), from[i].ul[k]);
      check(whole[i], from[i].dl[k]), check(static_cast<unsigned long long>(whole[i]), from[i].dul[k]);
    }

  std::vector<float> sf(12);
  std::vector<double> sd(4);
  std::vector<int> si(5);
  special<<<1, 1>>>(sf.data(), sd.data(), si.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(sf[0] == FLT_MAX && sf[1] == -FLT_MAX && sf[2] == FLT_MAX && std::isinf(sf[3]) && sf[4] == 0x1p-149f);
  CHECK(sf[5] == -0x1p-149f && sf[6] == 0.5f && sf[7] == 0 && std::signbit(sf[7]) && sf[8] == FLT_MAX &&
        sf[9] == 0x1p-149f);
  CHECK(sf[10] == -FLT_MAX && std::isnan(sf[11]));
  CHECK(sd[0] == DBL_MAX && sd[1] == 5e-324 && sd[2] == -7 && sd[3] == 4294967295.0);
  CHECK(si[0] == 0 && si[1] == INT_MIN && si[2] && si[3] && si[4]);
}
