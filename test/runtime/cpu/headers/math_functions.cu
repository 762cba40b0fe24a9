// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: %t.O0 && %t.O1 && %t.O2 && %t.O3
//
// CUDA's own mathematics against values computed with 300 bits (mpmath), to the accuracy that CUDA documents; the rest
// against identities. Called without an #include, as nvcc allows.
#include "check.h"
#include <cmath>
#include <type_traits>
#include <vector>

enum class Function {
  sinpi,
  cospi,
  erfinv,
  erfcinv,
  erfcx,
  normcdf,
  normcdfinv,
  cyl_bessel_i0,
  cyl_bessel_i1,
  rcbrt,
  rsqrt,
  exp10
};

struct Value {
  Function function;
  double x, y;
};
// clang-format off
const Value table[] = {
    // sinpi
    {Function::sinpi, 0.1, 0.30901699437494745},
    {Function::sinpi, 0.25, 0.7071067811865476},
    {Function::sinpi, -0.3, -0.8090169943749475},
    {Function::sinpi, 0.5, 1.0},
    {Function::sinpi, 1.75, -0.7071067811865476},
    {Function::sinpi, 1e-10, 3.1415926535897934e-10},
    {Function::sinpi, 123456.789, 0.6153863701685053},
    {Function::sinpi, -2.4999999, -0.9999999999999507},
    {Function::sinpi, 1000000000000000.5, 1.0},
    // cospi
    {Function::cospi, 0.1, 0.9510565162951535},
    {Function::cospi, 0.25, 0.7071067811865476},
    {Function::cospi, -0.3, 0.5877852522924731},
    {Function::cospi, 0.499999, 3.1415926535005707e-06},
    {Function::cospi, 1.75, 0.7071067811865476},
    {Function::cospi, 1e-10, 1.0},
    {Function::cospi, 123456.789, -0.7882256119987674},
    {Function::cospi, -2.4999999, 3.1415926484482773e-07},
    {Function::cospi, 1000000000000001.0, -1.0},
    // erfinv
    {Function::erfinv, 1e-20, 8.86226925452758e-21},
    {Function::erfinv, 0.1, 0.08885599049425769},
    {Function::erfinv, -0.25, -0.2253120550121781},
    {Function::erfinv, 0.4999, 0.4768250236254278},
    {Function::erfinv, 0.5, 0.4769362762044699},
    {Function::erfinv, 0.75, 0.8134198475976185},
    {Function::erfinv, -0.9, -1.1630871536766743},
    {Function::erfinv, 0.999, 2.3267537655135246},
    {Function::erfinv, 0.9999999999, 4.572824958544925},
    {Function::erfinv, -0.9999999999999999, -5.8635847487551676},
    // erfcinv
    {Function::erfcinv, 1e-300, 26.209469960516124},
    {Function::erfcinv, 1e-100, 15.065574702592645},
    {Function::erfcinv, 1e-20, 6.601580622355143},
    {Function::erfcinv, 1e-05, 3.123413274340875},
    {Function::erfcinv, 0.1, 1.163087153676674},
    {Function::erfcinv, 0.4, 0.5951160814499948},
    {Function::erfcinv, 0.5, 0.4769362762044699},
    {Function::erfcinv, 0.9, 0.08885599049425767},
    {Function::erfcinv, 0.99999, 8.862269254719262e-06},
    {Function::erfcinv, 1.3, -0.2724627147267544},
    {Function::erfcinv, 1.6, -0.595116081449995},
    {Function::erfcinv, 1.999999, -3.4589107372909473},
    // erfcx
    {Function::erfcx, -26, 7.657724931490568e+293},
    {Function::erfcx, -5, 144009798674.66104},
    {Function::erfcx, -1, 5.008980080762283},
    {Function::erfcx, 0.0, 1.0},
    {Function::erfcx, 0.5, 0.6156903441929259},
    {Function::erfcx, 1, 0.427583576155807},
    {Function::erfcx, 3, 0.17900115118138996},
    {Function::erfcx, 10.3, 0.05452109779876725},
    {Function::erfcx, 20, 0.02817434874105132},
    {Function::erfcx, 24.99, 0.022558581482293897},
    {Function::erfcx, 25.01, 0.022540570570159266},
    {Function::erfcx, 30, 0.01879588886141675},
    {Function::erfcx, 100, 0.005641613782989433},
    {Function::erfcx, 100000.0, 5.6418958351954685e-06},
    {Function::erfcx, 1e+100, 5.6418958354775625e-101},
    // normcdf
    {Function::normcdf, -38.0, 2.88542835e-316},
    {Function::normcdf, -37.3, 8.205494844930773e-305},
    {Function::normcdf, -30.1, 2.4226672179857586e-199},
    {Function::normcdf, -20.7, 1.7318518790197378e-95},
    {Function::normcdf, -10, 7.619853024160525e-24},
    {Function::normcdf, -5, 2.866515718791939e-07},
    {Function::normcdf, -1.5, 0.06680720126885807},
    {Function::normcdf, -0.3, 0.3820885778110474},
    {Function::normcdf, 0, 0.5},
    {Function::normcdf, 0.5, 0.6914624612740131},
    {Function::normcdf, 1, 0.8413447460685429},
    {Function::normcdf, 3, 0.9986501019683699},
    {Function::normcdf, 8, 0.9999999999999993},
    // normcdfinv
    {Function::normcdfinv, 1e-300, -37.0470962993612},
    {Function::normcdfinv, 1e-20, -9.262340089798407},
    {Function::normcdfinv, 0.001, -3.0902323061678136},
    {Function::normcdfinv, 0.1, -1.2815515655446004},
    {Function::normcdfinv, 0.3, -0.5244005127080408},
    {Function::normcdfinv, 0.6, 0.2533471031357997},
    {Function::normcdfinv, 0.9, 1.2815515655446006},
    {Function::normcdfinv, 0.999999, 4.753424308817087},
    // cyl_bessel_i0
    {Function::cyl_bessel_i0, 0, 1.0},
    {Function::cyl_bessel_i0, 0.1, 1.0025015629340956},
    {Function::cyl_bessel_i0, 1, 1.2660658777520084},
    {Function::cyl_bessel_i0, -3.5, 7.3782034322254795},
    {Function::cyl_bessel_i0, 10, 2815.7166284662544},
    {Function::cyl_bessel_i0, 29.9, 708478330489.0145},
    {Function::cyl_bessel_i0, 30.1, 862432920031.7792},
    {Function::cyl_bessel_i0, 45, 2.0834140751773148e+18},
    {Function::cyl_bessel_i0, 200, 2.0396871734097245e+85},
    {Function::cyl_bessel_i0, -700, 1.5295933476718737e+302},
    {Function::cyl_bessel_i0, 712, 2.4684110577627523e+307},
    // cyl_bessel_i1
    {Function::cyl_bessel_i1, 0.1, 0.050062526047092694},
    {Function::cyl_bessel_i1, 1, 0.565159103992485},
    {Function::cyl_bessel_i1, -3.5, -6.205834922258365},
    {Function::cyl_bessel_i1, 10, 2670.9883037012546},
    {Function::cyl_bessel_i1, 29.9, 696528308361.0927},
    {Function::cyl_bessel_i1, 30.1, 847983630191.5414},
    {Function::cyl_bessel_i1, 45, 2.0601334620815772e+18},
    {Function::cyl_bessel_i1, 200, 2.034581549332063e+85},
    {Function::cyl_bessel_i1, -700, -1.5285003902339006e+302},
    {Function::cyl_bessel_i1, 712, 2.4666770135246153e+307},
    // rcbrt
    {Function::rcbrt, 0.1, 2.154434690031884},
    {Function::rcbrt, 1, 1.0},
    {Function::rcbrt, 2, 0.7937005259840998},
    {Function::rcbrt, -8, -0.5},
    {Function::rcbrt, 1e+300, 1e-100},
    {Function::rcbrt, 1e-300, 1e+100},
    // rsqrt
    {Function::rsqrt, 0.1, 3.162277660168379},
    {Function::rsqrt, 1, 1.0},
    {Function::rsqrt, 2, 0.7071067811865476},
    {Function::rsqrt, 8, 0.3535533905932738},
    {Function::rsqrt, 1e+300, 1e-150},
    {Function::rsqrt, 1e-300, 1e+150},
    // exp10
    {Function::exp10, 0.1, 1.2589254117941673},
    {Function::exp10, 1, 10.0},
    {Function::exp10, 2, 100.0},
    {Function::exp10, -8, 1e-08},
    {Function::exp10, 300.5, 3.1622776601683795e+300},
    {Function::exp10, -300.25, 5.623413251903491e-301},
    {Function::cyl_bessel_i0, 5.5, 42.69464515184779},
    {Function::cyl_bessel_i0, 15.25, 432465.45281784964},
    {Function::cyl_bessel_i0, 19.9, 39513376.52006682},
    {Function::cyl_bessel_i0, 20.1, 48017874.1071365},
    {Function::cyl_bessel_i0, 25.0, 5774560606.4663105},
    {Function::cyl_bessel_i1, 5.5, 38.58816461632739},
    {Function::cyl_bessel_i1, 15.25, 418036.7491114095},
    {Function::cyl_bessel_i1, 19.9, 38507423.87486228},
    {Function::cyl_bessel_i1, 20.1, 46807739.533029884},
    {Function::cyl_bessel_i1, 25.0, 5657865129.878701},
    {Function::rcbrt, 3.7, 0.6465459942193522},
    {Function::rcbrt, 5.0, 0.5848035476425733},
    {Function::rcbrt, -1e-05, -46.415888336127786},
    {Function::rcbrt, 3.333333333333333e+99, 6.694329500821695e-34},
};
// clang-format on

double tolerance(Function function) { // in units of the last place
  switch (function) {
  case Function::sinpi:
    return 2;
  case Function::cospi:
    return 2;
  case Function::erfinv:
    return 5;
  case Function::erfcinv:
    return 6;
  case Function::erfcx:
    return 4;
  case Function::normcdf:
    return 5;
  case Function::normcdfinv:
    return 7;
  case Function::cyl_bessel_i0:
    return 6;
  case Function::cyl_bessel_i1:
    return 6;
  case Function::rcbrt:
    return 1;
  case Function::rsqrt:
    return 1;
  case Function::exp10:
    return 2;
  }
  return 0;
}

__host__ __device__ double call(Function function, double x) {
  switch (function) {
  case Function::sinpi:
    return ::sinpi(x);
  case Function::cospi:
    return ::cospi(x);
  case Function::erfinv:
    return ::erfinv(x);
  case Function::erfcinv:
    return ::erfcinv(x);
  case Function::erfcx:
    return ::erfcx(x);
  case Function::normcdf:
    return ::normcdf(x);
  case Function::normcdfinv:
    return ::normcdfinv(x);
  case Function::cyl_bessel_i0:
    return ::cyl_bessel_i0(x);
  case Function::cyl_bessel_i1:
    return ::cyl_bessel_i1(x);
  case Function::rcbrt:
    return ::rcbrt(x);
  case Function::rsqrt:
    return ::rsqrt(x);
  case Function::exp10:
    return ::exp10(x);
  }
  return 0;
}
__host__ __device__ float call(Function function, float x) {
  switch (function) {
  case Function::sinpi:
    return ::sinpif(x);
  case Function::cospi:
    return ::cospif(x);
  case Function::erfinv:
    return ::erfinvf(x);
  case Function::erfcinv:
    return ::erfcinvf(x);
  case Function::erfcx:
    return ::erfcxf(x);
  case Function::normcdf:
    return ::normcdff(x);
  case Function::normcdfinv:
    return ::normcdfinvf(x);
  case Function::cyl_bessel_i0:
    return ::cyl_bessel_i0f(x);
  case Function::cyl_bessel_i1:
    return ::cyl_bessel_i1f(x);
  case Function::rcbrt:
    return ::rcbrtf(x);
  case Function::rsqrt:
    return ::rsqrtf(x);
  case Function::exp10:
    return ::exp10f(x);
  }
  return 0;
}

__global__ void evaluate(const Value *values, int count, double *out, float *out_single) {
  int i = threadIdx.x;
  if (i >= count)
    return;
  out[i] = call(values[i].function, values[i].x);
  out_single[i] = call(values[i].function, static_cast<float>(values[i].x));
}

__global__ void others(double *out, float *single) {
  double p[] = {3e200, 4e200, 12e200, 84e200};
  out[0] = norm3d(p[0], p[1], p[2]) / 13e200, out[1] = norm4d(p[0], p[1], p[2], p[3]) / 85e200;
  out[2] = norm(4, p) / 85e200, out[3] = rnorm3d(3.0, 4.0, 12.0) * 13, out[4] = rnorm4d(3.0, 4.0, 12.0, 84.0) * 85;
  out[5] = rnorm(2, p) * 5e200, out[6] = rhypot(3.0, 4.0) * 5, out[7] = fdivide(6.0, 3.0) / 2;
  sincospi(0.25, out + 8, out + 9);
  out[8] /= out[9];
  out[9] = j0(1.0) / 0.7651976865579666, out[10] = y1(2.0) / -0.10703243154093755;
  out[11] = jn(2, 3.0) / 0.48609126058589108;
  sincos(0.5, out + 12, out + 13);
  out[12] /= 0.479425538604203, out[13] /= 0.8775825618903728;
  float q[] = {3e30f, 4e30f, 12e30f, 84e30f};
  single[0] = norm3df(q[0], q[1], q[2]) / 13e30f, single[1] = norm4df(q[0], q[1], q[2], q[3]) / 85e30f;
  single[2] = normf(4, q) / 85e30f, single[3] = rnorm3df(3, 4, 12) * 13, single[4] = rnorm4df(3, 4, 12, 84) * 85;
  single[5] = rnormf(2, q) * 5e30f, single[6] = rhypotf(3, 4) * 5, single[7] = fdividef(6, 3) / 2;
  sincospif(0.25f, single + 8, single + 9);
  single[8] /= single[9];
  sincosf(0.5f, single + 9, single + 10);
  single[9] /= 0.479425539f, single[10] /= 0.877582562f;
  single[11] = j0f(1) / 0.765197687f, single[12] = ::exp10f(2) / 100, single[13] = rsqrtf(4) * 2;
}

// Fast functions, and the plain ones without #include.
__global__ void fast(float *out, int *holds) {
  float x = 0.7f, s, c;
  __sincosf(x, &s, &c);
  out[0] = __sinf(x) / sinf(x), out[1] = __cosf(x) / cosf(x), out[2] = s / sinf(x), out[3] = c / cosf(x);
  out[4] = __tanf(x) / tanf(x), out[5] = __expf(x) / expf(x), out[6] = __exp10f(x) / exp10f(x);
  out[7] = __logf(x) / logf(x), out[8] = __log2f(x) / log2f(x), out[9] = __log10f(x) / log10f(x);
  out[10] = __powf(x, 3.5f) / powf(x, 3.5f), out[11] = __fdividef(x, 2.0f) / 0.35f, out[12] = __tanhf(x) / tanhf(x);
  out[13] = fmaf(x, x, 1.0f) / 1.49f;
  holds[0] = isnan(__powf(-2.0f, 2.0f)), holds[1] = __saturatef(1.5f) == 1, holds[2] = __saturatef(-0.5f) == 0;
  holds[3] = __saturatef(nanf("")) == 0, holds[4] = __saturatef(0.25f) == 0.25f;
  holds[5] = min(3, 4u) == 3 && max(-1, 2u) == 0xffffffffu && min(-1ll, 5ll) == -1 && max(1.0f, 2.0) == 2;
  holds[6] = fmaxf(nanf(""), 1) == 1 && max(nanf(""), 1.0f) == 1 && min(1.0, nan("")) == 1;
  holds[7] = sinpi(1.0) == 0 && signbit(sinpi(-1.0)) && !signbit(sinpi(2.0)) && isnan(sinpi(HUGE_VAL)) &&
             cospi(0.5) == 0 && cospi(1e300) == 1;
  holds[8] = erfinv(1.0) == HUGE_VAL && erfinv(-1.0) == -HUGE_VAL && isnan(erfinv(1.1)) && erfcinv(2.0) == -HUGE_VAL &&
             erfcinv(0.0) == HUGE_VAL;
  holds[9] = normcdf(-HUGE_VAL) == 0 && normcdf(HUGE_VAL) == 1 && isnan(normcdf(nan(""))) && normcdfinv(0.5) == 0;
  holds[10] =
      isnan(cyl_bessel_i0(nan(""))) && cyl_bessel_i0(HUGE_VAL) == HUGE_VAL && cyl_bessel_i1(-HUGE_VAL) == -HUGE_VAL;
  holds[11] = isnan(erfcx(nan(""))) && erfcx(HUGE_VAL) == 0 && erfcx(-27.0) == HUGE_VAL && erfcx(-HUGE_VAL) == HUGE_VAL;
  holds[12] = abs(-2.5f) == 2.5f && abs(-3) == 3 && fabs(-1.0) == 1 && floor(1.5f) == 1 && sqrt(4.0f) == 2 &&
              pow(2.0f, 3.0f) == 8;
  holds[13] = std::is_same_v<decltype(sqrt(1.0f)), float> && std::is_same_v<decltype(rsqrt(1.0f)), float> &&
              std::is_same_v<decltype(min(1, 2u)), unsigned> && std::is_same_v<decltype(max(1l, 2l)), long>;
}

double units(double found, double expected) {
  if (found == expected)
    return 0;
  return std::fabs(found - expected) / std::fabs(std::nextafter(expected, HUGE_VAL) - expected);
}

int main() {
  constexpr int count = sizeof table / sizeof *table;
  std::vector<double> out(count);
  std::vector<float> single(count);
  evaluate<<<1, 256>>>(table, count, out.data(), single.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < count; ++i) {
    auto [function, x, y] = table[i];
    auto from_double = static_cast<float>(call(function, static_cast<double>(static_cast<float>(x))));
    if (units(out[i], y) <= tolerance(function) && units(call(function, x), y) <= tolerance(function) && // on the host
        (single[i] == from_double || std::fabs(single[i] / from_double - 1) < 3e-7))
      continue;
    good = false;
    std::fprintf(stderr, "function %d of %g: %.17g, %.9g, should be %.17g\n", static_cast<int>(function), x, out[i],
                 single[i], y);
  }
  CHECK(good);

  std::vector<double> ones(14);
  std::vector<float> single_ones(14), fast_ones(14);
  std::vector<int> holds(14);
  others<<<1, 1>>>(ones.data(), single_ones.data());
  fast<<<1, 1>>>(fast_ones.data(), holds.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 14; ++i) {
    bool right = std::fabs(ones[i] - 1) < 1e-15 && std::fabs(single_ones[i] - 1) < 4e-7 &&
                 std::fabs(fast_ones[i] - 1) < 2e-6 && holds[i];
    if (!right)
      std::fprintf(stderr, "%d: %.17g %.9g %.9g %d\n", i, ones[i], single_ones[i], fast_ones[i], holds[i]);
    CHECK(right);
  }
}
