// RUN: %cpu-cc %t -O1 -I%inputs %s && %t
// RUN: %cpu-cc %t.bf16 -O1 -DBFLOAT16 -I%inputs %s && %t.bf16
// RUN: %cpu-cc %t.native -O3 -march=native -I%inputs %s && %t.native
// RUN: %cpu-cc %t.bf16.native -O3 -march=native -DBFLOAT16 -I%inputs %s && %t.bf16.native
//
// Operations of half and bfloat16 against the exact result, rounded once.
#include "check.h"
#include "half_or_bfloat16.h"

static_assert(sizeof(T2) == 4 && alignof(T2) == 4);

typedef unsigned short Bits;

__global__ void unary(Bits *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T x = AS(i);
  Bits *to = out + 16 * i;
  to[0] = BITS(hsqrt(x)), to[1] = BITS(hrcp(x)), to[2] = BITS(hrint(x)), to[3] = BITS(hfloor(x));
  to[4] = BITS(hceil(x)), to[5] = BITS(htrunc(x)), to[6] = BITS(__habs(x)), to[7] = BITS(-x);
  to[8] = BITS(hexp(x)), to[9] = BITS(hlog(x)), to[10] = BITS(hsin(x)), to[11] = BITS(htanh(x));
  to[12] = __hisnan(x), to[13] = static_cast<Bits>(__hisinf(x)), to[14] = BITS(hrsqrt(x)), to[15] = BITS(hexp10(x));
}

__global__ void binary(const Bits *in, int count, Bits *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * count)
    return;
  T x = AS(in[i / count]), y = AS(in[i % count]);
  T2 p(x, y), q(y, x);
  Bits *to = out + 32 * i;
  to[0] = BITS(x + y), to[1] = BITS(x - y), to[2] = BITS(x * y), to[3] = BITS(x / y);
  to[4] = BITS(__hadd_sat(x, y)), to[5] = BITS(__hmul_sat(x, y)), to[6] = BITS(__hmax(x, y)),
  to[7] = BITS(__hmin(x, y));
  to[8] = BITS(__hmax_nan(x, y)), to[9] = BITS(__hmin_nan(x, y));
  to[10] = static_cast<Bits>((x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5);
  to[11] = static_cast<Bits>(__heq(x, y) | __hne(x, y) << 1 | __hlt(x, y) << 2 | __hle(x, y) << 3 | __hgt(x, y) << 4 |
                             __hge(x, y) << 5);
  to[12] = static_cast<Bits>(__hequ(x, y) | __hneu(x, y) << 1 | __hltu(x, y) << 2 | __hleu(x, y) << 3 |
                             __hgtu(x, y) << 4 | __hgeu(x, y) << 5);
  T2 sum = p + q, difference = p - q, product = __hmul2(p, q), quotient = __h2div(p, q), less = __hlt2(p, q);
  to[13] = BITS(sum.y), to[14] = BITS(difference.y), to[15] = BITS(product.y), to[16] = BITS(quotient.y);
  to[17] = BITS(less.x), to[18] = BITS(less.y);
  unsigned mask = __hle2_mask(p, q);
  to[19] = static_cast<Bits>(mask), to[20] = static_cast<Bits>(mask >> 16);
  to[21] = static_cast<Bits>(__hbge2(p, q) | (p == q) << 1 | __hbneu2(p, q) << 2);
  T z = x;
  z += y;
  to[22] = BITS(z);
  z -= y, z *= y, z /= y;
  to[23] = BITS(z);
  T w = x;
  to[24] = BITS(w++), to[25] = BITS(w), to[26] = BITS(--w);
  to[27] = BITS(__hsub(__hadd(x, y), y) * y / y);
}

__global__ void ternary(const Bits *in, int count, Bits *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * count * count)
    return;
  T x = AS(in[i / count / count]), y = AS(in[i / count % count]), z = AS(in[i % count]);
  T2 both = __hfma2(T2(x, y), T2(y, x), T2(z, -z));
  out[4 * i] = BITS(__hfma(x, y, z)), out[4 * i + 1] = BITS(both.y), out[4 * i + 2] = BITS(__hfma_sat(x, y, z));
  out[4 * i + 3] = BITS(__hfma_relu(x, y, z));
}

// Within `units` numbers of the format.
bool near(unsigned a, double exact, unsigned units) {
  unsigned b = format.round(exact);
  if (format.is_nan(a) || format.is_nan(b))
    return format.is_nan(a) && format.is_nan(b);
  return (a & 0x8000u) == (b & 0x8000u) && (a > b ? a - b : b - a) <= units;
}

unsigned order(double x, double y) {
  return (x == y) | (x < y || x > y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5;
}

int main() {
  std::vector<Bits> out(65536 * 16);
  unary<<<256, 256>>>(out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  int neighbours = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    double x = format.value(bits);
    const Bits *to = &out[bits * 16];
    CHECK(format.same(to[0], format.round(std::sqrt(x))));
    CHECK(format.same(to[1], format.round(1 / x)));
    CHECK(format.same(to[2], format.round(std::rint(x))) && format.same(to[3], format.round(std::floor(x))));
    CHECK(format.same(to[4], format.round(std::ceil(x))) && format.same(to[5], format.round(std::trunc(x))));
    CHECK(to[6] == (bits & 0x7fffu) && to[7] == (bits ^ 0x8000u));
    // Through single precision: next to a rounding boundary the neighbour is possible, and rare.
    const double transcendental[][2] = {
        {8, std::exp(x)}, {9, std::log(x)}, {10, std::sin(x)}, {11, std::tanh(x)}, {15, std::pow(10, x)}};
    for (auto [slot, exact] : transcendental) {
      CHECK(near(to[static_cast<int>(slot)], exact, 1));
      neighbours += near(to[static_cast<int>(slot)], exact, 0) ? 0 : 1;
    }
    CHECK(to[12] == std::isnan(x) && static_cast<short>(to[13]) == (std::isinf(x) ? (x > 0 ? 1 : -1) : 0));
    CHECK(near(to[14], 1 / std::sqrt(x), 0));
  }
  CHECK(neighbours < 30);

  std::vector<Bits> in = interesting_bits(format, 700);
  auto count = static_cast<int>(in.size());
  out.assign(in.size() * in.size() * 32, 0);
  binary<<<(count * count + 255) / 256, 256>>>(in.data(), count, out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  auto add = [](unsigned a, unsigned b) { return format.round(format.value(a) + format.value(b)); };
  auto clamp = [](unsigned a) {
    double x = format.value(a);
    return !(x > 0) ? 0u : x > 1 ? format.round(1.0) : a;
  };
  for (int i = 0; i < count * count; ++i) {
    unsigned a = in[i / count], b = in[i % count];
    double x = format.value(a), y = format.value(b);
    const Bits *to = &out[i * 32];
    // Sums of half are exact in double precision; of bfloat16, the smaller part may fall off the end.
    double sum = x + y, rest = std::isfinite(sum) ? std::fabs(x) > std::fabs(y) ? y - (sum - x) : x - (sum - y) : 0;
    double difference = x - y;
    double difference_rest =
        std::isfinite(difference) ? std::fabs(x) > std::fabs(y) ? -y - (difference - x) : x - (difference + y) : 0;
    unsigned s = format.round(sum, 'n', rest), d = format.round(difference, 'n', difference_rest);
    unsigned p = format.round(x * y), q = format.round(x / y);
    CHECK(format.same(to[0], s) && format.same(to[1], d) && format.same(to[2], p) && format.same(to[3], q));
    CHECK(to[4] == clamp(s) && (to[5] & 0x7fffu) == clamp(p));
    unsigned larger = std::isnan(x) ? b : std::isnan(y) ? a : x > y ? a : x < y ? b : a & b;
    unsigned smaller = std::isnan(x) ? b : std::isnan(y) ? a : x < y ? a : x > y ? b : a | b;
    CHECK(format.same(to[6], larger) && format.same(to[7], smaller));
    bool nan = std::isnan(x) || std::isnan(y);
    CHECK(format.same(to[8], nan ? 0x7fff : larger) && format.same(to[9], nan ? 0x7fff : smaller));
    CHECK(to[10] == (order(x, y) | (nan ? 2 : 0)) && to[11] == order(x, y) && to[12] == (nan ? 63 : order(x, y)));
    CHECK(format.same(to[13], s) && format.same(to[15], p));
    CHECK(format.same(to[14], format.round(-difference, 'n', -difference_rest)) || d == 0);
    CHECK(format.same(to[16], format.round(y / x)));
    unsigned one = format.round(1.0);
    CHECK(to[17] == (x < y ? one : 0) && to[18] == (y < x ? one : 0));
    CHECK(to[19] == (x <= y ? 0xffff : 0) && to[20] == (y <= x ? 0xffff : 0));
    CHECK(to[21] == ((x >= y && y >= x) | (x == y) << 1 | (nan || x != y) << 2));
    CHECK(format.same(to[22], s));
    unsigned chain = format.round(format.value(format.round(format.value(add(s, b ^ 0x8000u)) * y)) / y);
    CHECK(nan || format.same(to[23], chain));
    CHECK(nan || format.same(to[27], chain));
    CHECK(format.same(to[24], a) && format.same(to[25], add(a, one)) &&
          format.same(to[26], add(add(a, one), one | 0x8000u)));
  }

  in = interesting_bits(format, 110);
  for (unsigned exponent = 0; exponent < format.infinity; exponent += format.infinity / 13)
    in.push_back(static_cast<Bits>(exponent + 1)); // one bit at each end of the mantissa
  count = static_cast<int>(in.size());
  out.assign(in.size() * in.size() * in.size() * 4, 0);
  ternary<<<(count * count * count + 255) / 256, 256>>>(in.data(), count, out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count * count * count; ++i) {
    double x = format.value(in[i / count / count]), y = format.value(in[i / count % count]);
    double z = format.value(in[i % count]);
    auto fma = [](double x, double y, double z) {
      double product = x * y, sum = product + z; // the product is exact
      double rest =
          std::isfinite(sum) ? std::fabs(product) > std::fabs(z) ? z - (sum - product) : product - (sum - z) : 0;
      return format.round(sum, 'n', rest);
    };
    unsigned f = fma(x, y, z);
    CHECK(format.same(out[4 * i], f) && format.same(out[4 * i + 1], fma(y, x, -z)));
    CHECK(out[4 * i + 2] == clamp(f) || (f & 0x7fffu) == 0);
    CHECK(std::isnan(format.value(f)) ? format.is_nan(out[4 * i + 3]) : out[4 * i + 3] == (f & 0x8000u ? 0 : f));
  }

  T sum = 0.0f;
  for (int i = 0; i < 4000; ++i)
    sum += T(1.0f); // on the host too; stops where one more rounds away
  CHECK(static_cast<float>(sum) == (format.mantissa_bits == 10 ? 2048.0f : 256.0f));
}
