// RUN: %cpu-cc %t -O2 -I%inputs %s && %t
//
// cuComplex, math_constants, vector types, cached loads and stores.
#include "check.h"
#include <cmath>
#include <cuComplex.h>
#include <math_constants.h>
#include <vector_functions.h>
#include <vector_types.h>

#define SIZES(type, name, align2, align4)                                                                              \
  static_assert(sizeof(name##1) == sizeof(type) && sizeof(name##2) == 2 * sizeof(type) &&                              \
                sizeof(name##3) == 3 * sizeof(type) && sizeof(name##4) == 4 * sizeof(type));                           \
  static_assert(alignof(name##1) == alignof(type) && alignof(name##2) == align2 &&                                     \
                alignof(name##3) == alignof(type) && alignof(name##4) == align4);                                      \
  static_assert(make_##name##4(1, 2, 3, 4).w == 4 && make_##name##3(1, 2, 3).z == 3 && make_##name##2(1, 2).y == 2 &&  \
                make_##name##1(1).x == 1);
SIZES(signed char, char, 2, 4)
SIZES(unsigned char, uchar, 2, 4)
SIZES(short, short, 4, 8)
SIZES(unsigned short, ushort, 4, 8)
SIZES(int, int, 8, 16)
SIZES(unsigned, uint, 8, 16)
SIZES(long, long, 16, 16)
SIZES(unsigned long, ulong, 16, 16)
SIZES(long long, longlong, 16, 16)
SIZES(unsigned long long, ulonglong, 16, 16)
SIZES(float, float, 8, 16)
SIZES(double, double, 16, 16)
static_assert(sizeof(double4_32a) == 32 && alignof(double4_32a) == 32 && alignof(double4_16a) == 16);
static_assert(dim3().x == 1 && dim3(2).y == 1 && dim3(2, 3, 4).z == 4 && sizeof(dim3) == 12);

__global__ void complex(cuFloatComplex *f, cuDoubleComplex *d) {
  cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuComplex(3, -4);
  f[0] = cuCmulf(a, b), f[1] = cuCdivf(a, b), f[2] = cuCaddf(a, cuConjf(b)), f[3] = cuCsubf(a, b),
  f[4] = cuCfmaf(a, b, a);
  f[5] = make_cuFloatComplex(cuCabsf(b), cuCrealf(a) + cuCimagf(b));
  cuDoubleComplex c = cuComplexFloatToDouble(a), e = make_cuDoubleComplex(3e200, -4e200);
  d[0] = cuCmul(c, c), d[1] = cuCdiv(e, e), d[2] = make_cuDoubleComplex(cuCabs(e) / 5e200, 0);
}

__global__ void cached(const float4 *in, float4 *out, int *integer) {
  float4 v = __ldg(in), w = __ldcg(in + 1), u = __ldcs(in), t = __ldca(in);
  __stcg(out, make_float4(v.x + w.x, u.y, t.z, __ldcv(&in->w)));
  __stcs(integer, __ldg(integer) + 1), __stwt(integer + 1, __ldg(reinterpret_cast<const char *>(integer) + 4) + 1);
  __stwb(integer + 2, 7);
}

int main() {
  cuFloatComplex f[6];
  cuDoubleComplex d[3];
  complex<<<1, 1>>>(f, d);
  CHECK_CUDA(cudaDeviceSynchronize());
  auto near = [](auto a, double x, double y) { return std::fabs(a.x - x) < 1e-7 && std::fabs(a.y - y) < 1e-7; };
  CHECK(near(f[0], 11, 2) && near(f[1], -0.2, 0.4) && near(f[2], 4, 6) && near(f[3], -2, 6) && near(f[4], 12, 4) &&
        near(f[5], 5, -3));
  CHECK(near(d[0], -3, 4) && near(d[1], 1, 0) && near(d[2], 1, 0));

  float4 in[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, out;
  int integers[3] = {41, 8, 0};
  cached<<<1, 1>>>(in, &out, integers);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(out.x == 6 && out.y == 2 && out.z == 3 && out.w == 4 && integers[0] == 42 && integers[1] == 9 &&
        integers[2] == 7);

  CHECK(CUDART_PI == std::acos(-1.0) && CUDART_PI_F == std::acos(-1.0f) && CUDART_SQRT_TWO == std::sqrt(2.0) &&
        CUDART_LN2 == std::log(2.0));
  CHECK(CUDART_L2E == 1 / std::log(2.0) && CUDART_LGE_F == static_cast<float>(std::log10(std::exp(1.0))) &&
        CUDART_PIO2 == CUDART_PI / 2 && CUDART_PIO4_F == CUDART_PI_F / 4);
  CHECK(std::isinf(CUDART_INF_F) && std::isnan(CUDART_NAN) && CUDART_MAX_NORMAL_F == 3.40282347e38f &&
        CUDART_SQRT_2PI == static_cast<double>(std::sqrt(2 * std::acos(-1.0L))));
  CHECK(CUDART_2_OVER_PI == 2 / CUDART_PI && CUDART_THIRD == 1.0 / 3 && CUDART_L2T == std::log2(10.0) &&
        CUDART_LG2 == std::log10(2.0) && CUDART_LNT == std::log(10.0));
}
