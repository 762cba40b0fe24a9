// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: %t.O0 && %t.O1 && %t.O2 && %t.O3
//
// Bit counting, permutation, products, dot products and video instructions against straightforward loops on the host.
#include "check.h"
#include <algorithm>
#include <random>
#include <vector>

constexpr int count = 4096, slots = 128;

__global__ void scalars(const unsigned *in, long long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  unsigned long long w = static_cast<unsigned long long>(x) << 32 | y, v = static_cast<unsigned long long>(z) << 32 | x;
  int s = static_cast<int>(x), t = static_cast<int>(y);
  long long *to = out + slots * i;
  to[0] = __popc(x), to[1] = __popcll(w), to[2] = __clz(s), to[3] = __clzll(static_cast<long long>(w)),
  to[4] = __ffs(s);
  to[5] = __ffsll(static_cast<long long>(w)), to[6] = __brev(x), to[7] = static_cast<long long>(__brevll(w));
  to[8] = __byte_perm(x, y, z), to[9] = __funnelshift_l(x, y, z), to[10] = __funnelshift_r(x, y, z);
  to[11] = __funnelshift_lc(x, y, z % 64), to[12] = __funnelshift_rc(x, y, z % 64);
  to[13] = __mulhi(s, t), to[14] = __umulhi(x, y),
  to[15] = __mul64hi(static_cast<long long>(w), static_cast<long long>(v));
  to[16] = static_cast<long long>(__umul64hi(w, v)), to[17] = __mul24(s, t), to[18] = __umul24(x, y);
  to[19] = __sad(s, t, z), to[20] = __usad(x, y, z), to[21] = __hadd(s, t), to[22] = __rhadd(s, t),
  to[23] = __uhadd(x, y);
  to[24] = __urhadd(x, y), to[25] = __dp4a(s, t, static_cast<int>(z)), to[26] = __dp4a(x, y, z);
  to[27] = __dp2a_lo(s, t, static_cast<int>(z)), to[28] = __dp2a_hi(s, t, static_cast<int>(z));
  to[29] = __dp2a_lo(x, y, z), to[30] = __dp2a_hi(x, y, z);
  to[31] = __float_as_int(__int_as_float(s)), to[32] = __float_as_uint(__uint_as_float(x));
  to[33] = __double_as_longlong(__longlong_as_double(static_cast<long long>(w)));
  to[34] = __double_as_longlong(__hiloint2double(s, t));
  double d = __longlong_as_double(static_cast<long long>(w));
  to[35] = __double2hiint(d), to[36] = __double2loint(d);
  to[37] = __dp4a(*reinterpret_cast<char4 *>(&x), *reinterpret_cast<char4 *>(&y), static_cast<int>(z));
}

#define SIMD(n, at)                                                                                                    \
  to[at] = __vadd##n(x, y), to[at + 1] = __vaddss##n(x, y), to[at + 2] = __vaddus##n(x, y);                            \
  to[at + 3] = __vsub##n(x, y), to[at + 4] = __vsubss##n(x, y), to[at + 5] = __vsubus##n(x, y);                        \
  to[at + 6] = __vavgs##n(x, y), to[at + 7] = __vavgu##n(x, y), to[at + 8] = __vhaddu##n(x, y);                        \
  to[at + 9] = __vabsdiffs##n(x, y), to[at + 10] = __vabsdiffu##n(x, y), to[at + 11] = __vmaxs##n(x, y);               \
  to[at + 12] = __vmaxu##n(x, y), to[at + 13] = __vmins##n(x, y), to[at + 14] = __vminu##n(x, y);                      \
  to[at + 15] = __vabs##n(x), to[at + 16] = __vabsss##n(x), to[at + 17] = __vneg##n(x), to[at + 18] = __vnegss##n(x);  \
  to[at + 19] = __vsads##n(x, y), to[at + 20] = __vsadu##n(x, y), to[at + 21] = __vcmpeq##n(x, y);                     \
  to[at + 22] = __vcmpne##n(x, y), to[at + 23] = __vcmpges##n(x, y), to[at + 24] = __vcmpgeu##n(x, y);                 \
  to[at + 25] = __vcmpgts##n(x, y), to[at + 26] = __vcmpgtu##n(x, y), to[at + 27] = __vcmples##n(x, y);                \
  to[at + 28] = __vcmpleu##n(x, y), to[at + 29] = __vcmplts##n(x, y), to[at + 30] = __vcmpltu##n(x, y);                \
  to[at + 31] = __vseteq##n(x, y), to[at + 32] = __vsetltu##n(x, y), to[at + 33] = __vsetges##n(x, y);

__global__ void vectors(const unsigned *in, long long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[3 * i], y = in[3 * i + 1];
  long long *to = out + slots * i;
  SIMD(2, 40)
  SIMD(4, 80)
}

long long clamp(long long value, int bits, bool is_signed) {
  long long low = is_signed ? -(1ll << (bits - 1)) : 0, high = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
  return value < low ? low : value > high ? high : value;
}

void check_simd(unsigned x, unsigned y, int bits, const long long *to) {
  auto part = [&](unsigned word, int k, bool is_signed) {
    long long value = word >> (bits * k) & ((1u << bits) - 1u);
    return is_signed && value >> (bits - 1) ? value - (1ll << bits) : value;
  };
  auto each = [&](auto f) {
    unsigned result = 0;
    for (int k = 0; k < 32 / bits; ++k)
      result |= static_cast<unsigned>(f(part(x, k, true), part(y, k, true), part(x, k, false), part(y, k, false))) %
                    (1u << bits)
                << (bits * k);
    return static_cast<long long>(result);
  };
  auto total = [&](bool is_signed) {
    long long sum = 0;
    for (int k = 0; k < 32 / bits; ++k)
      sum += std::abs(part(x, k, is_signed) - part(y, k, is_signed));
    return sum;
  };
#define EACH(expression)                                                                                               \
  each([&]([[maybe_unused]] long long s, [[maybe_unused]] long long t, [[maybe_unused]] long long u,                   \
           [[maybe_unused]] long long v) { return expression; })
  const long long expected[] = {EACH(u + v),
                                EACH(clamp(s + t, bits, true)),
                                EACH(clamp(u + v, bits, false)),
                                EACH(u - v),
                                EACH(clamp(s - t, bits, true)),
                                EACH(clamp(u - v, bits, false)),
                                EACH(s + t >= 0 ? (s + t + 1) / 2 : (s + t - 1) / 2),
                                EACH((u + v + 1) / 2),
                                EACH((u + v) / 2),
                                EACH(std::abs(s - t)),
                                EACH(std::abs(u - v)),
                                EACH(std::max(s, t)),
                                EACH(std::max(u, v)),
                                EACH(std::min(s, t)),
                                EACH(std::min(u, v)),
                                EACH(std::abs(s)),
                                EACH(clamp(std::abs(s), bits, true)),
                                EACH(-s),
                                EACH(clamp(-s, bits, true)),
                                total(true),
                                total(false),
                                EACH(u == v ? -1 : 0),
                                EACH(u != v ? -1 : 0),
                                EACH(s >= t ? -1 : 0),
                                EACH(u >= v ? -1 : 0),
                                EACH(s > t ? -1 : 0),
                                EACH(u > v ? -1 : 0),
                                EACH(s <= t ? -1 : 0),
                                EACH(u <= v ? -1 : 0),
                                EACH(s < t ? -1 : 0),
                                EACH(u < v ? -1 : 0),
                                EACH(u == v),
                                EACH(u < v),
                                EACH(s >= t)};
  for (int k = 0; k < 34; ++k) {
    if (to[k] != expected[k])
      std::fprintf(stderr, "%d of %08x %08x: %llx, should be %llx\n", k, x, y, to[k], expected[k]);
    CHECK(to[k] == expected[k]);
  }
}

int main() {
  std::mt19937 random(4);
  std::vector<unsigned> in(3 * count);
  for (unsigned &x : in)
    x = random() >> (random() % 4 == 0 ? random() % 32 : 0);
  const unsigned special[] = {0,           1,           0x80000000u, 0xffffffffu, 0x7fffffffu,
                              0x80808080u, 0x7f7f7f7fu, 0x80008000u, 0x7fff7fffu};
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      in[3 * (9 * i + j)] = special[i], in[3 * (9 * i + j) + 1] = special[j];
  std::vector<long long> out(count * slots);
  scalars<<<count / 64, 64>>>(in.data(), out.data());
  vectors<<<count / 64, 64>>>(in.data(), out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    unsigned long long w = static_cast<unsigned long long>(x) << 32 | y,
                       v = static_cast<unsigned long long>(z) << 32 | x;
    auto s = static_cast<int>(x), t = static_cast<int>(y);
    const long long *to = &out[slots * i];
    auto ones = [](unsigned long long bits) {
      int k = 0;
      for (; bits != 0; bits /= 2)
        k += bits % 2;
      return k;
    };
    CHECK(to[0] == ones(x) && to[1] == ones(w));
    auto leading = [](unsigned long long bits, int n) {
      int k = 0;
      while (k < n && !(bits >> (n - 1 - k) & 1))
        ++k;
      return k;
    };
    auto first = [](unsigned long long bits) {
      for (int k = 0; k < 64; ++k)
        if (bits >> k & 1)
          return k + 1;
      return 0;
    };
    auto reversed = [](unsigned long long bits, int n) {
      unsigned long long r = 0;
      for (int k = 0; k < n; ++k)
        r |= (bits >> k & 1) << (n - 1 - k);
      return static_cast<long long>(r);
    };
    CHECK(to[2] == leading(x, 32) && to[3] == leading(w, 64) && to[4] == first(x) && to[5] == first(w));
    CHECK(to[6] == reversed(x, 32) && to[7] == reversed(w, 64));
    unsigned long long pair = static_cast<unsigned long long>(y) << 32 | x;
    unsigned permuted = 0;
    for (int k = 0; k < 4; ++k) {
      unsigned nibble = z >> (4 * k) & 15, byte = pair >> (8 * (nibble % 8)) & 255;
      permuted |= (nibble < 8 ? byte : byte >> 7 ? 255 : 0) << (8 * k);
    }
    CHECK(to[8] == permuted);
    auto high = [](unsigned long long bits) { return static_cast<unsigned>(bits >> 32); };
    unsigned n = z % 32, m = std::min(z % 64, 32u);
    CHECK(to[9] == high(pair << n) && to[10] == static_cast<unsigned>(pair >> n));
    CHECK(to[11] == high(m == 32 ? pair << 31 << 1 : pair << m) && to[12] == static_cast<unsigned>(pair >> m));
    CHECK(to[13] == static_cast<long long>(s) * t >> 32 && to[14] == high(static_cast<unsigned long long>(x) * y));
    // Products of 64 bits by schoolbook halves.
    unsigned long long a = w & 0xffffffff, b = w >> 32, c = v & 0xffffffff, d = v >> 32;
    unsigned long long middle = b * c + (a * c >> 32), cross = a * d + (middle & 0xffffffff);
    unsigned long long upper = b * d + (middle >> 32) + (cross >> 32);
    CHECK(static_cast<unsigned long long>(to[16]) == upper);
    CHECK(static_cast<unsigned long long>(to[15]) == upper - (w >> 63 ? v : 0) - (v >> 63 ? w : 0));
    auto low24 = [](int k) { return static_cast<long long>((k & 0xffffff) ^ 0x800000) - 0x800000; };
    CHECK(to[17] == static_cast<int>(low24(s) * low24(t)) &&
          to[18] == static_cast<unsigned>(1ull * (x & 0xffffff) * (y & 0xffffff)));
    CHECK(to[19] == static_cast<unsigned>(std::abs(static_cast<long long>(s) - t) + z));
    CHECK(to[20] == static_cast<unsigned>(std::max(x, y) - std::min(x, y) + z));
    CHECK(to[21] == (static_cast<long long>(s) + t) >> 1 && to[22] == (static_cast<long long>(s) + t + 1) >> 1);
    CHECK(to[23] == (static_cast<long long>(x) + y) >> 1 && to[24] == (static_cast<long long>(x) + y + 1) >> 1);
    auto byte = [](unsigned word, int k) { return static_cast<long long>(word >> (8 * k) & 255); };
    auto sbyte = [](unsigned word, int k) { return static_cast<signed char>(word >> (8 * k)); };
    auto word = [](unsigned word, int k) { return static_cast<long long>(word >> (16 * k) & 65535); };
    auto sword = [](unsigned word, int k) { return static_cast<short>(word >> (16 * k)); };
    long long signed_dot = 0, dot = 0;
    for (int k = 0; k < 4; ++k)
      signed_dot += sbyte(x, k) * sbyte(y, k), dot += byte(x, k) * byte(y, k);
    CHECK(to[25] == static_cast<int>(signed_dot + z) && to[26] == static_cast<unsigned>(dot + z) && to[37] == to[25]);
    CHECK(to[27] == static_cast<int>(1ll * sword(x, 0) * sbyte(y, 0) + 1ll * sword(x, 1) * sbyte(y, 1) + z));
    CHECK(to[28] == static_cast<int>(1ll * sword(x, 0) * sbyte(y, 2) + 1ll * sword(x, 1) * sbyte(y, 3) + z));
    CHECK(to[29] == static_cast<unsigned>(word(x, 0) * byte(y, 0) + word(x, 1) * byte(y, 1) + z));
    CHECK(to[30] == static_cast<unsigned>(word(x, 0) * byte(y, 2) + word(x, 1) * byte(y, 3) + z));
    CHECK(to[31] == s && to[32] == x && static_cast<unsigned long long>(to[33]) == w && to[34] == to[33] &&
          to[35] == s && to[36] == t);
    check_simd(x, y, 16, to + 40);
    check_simd(x, y, 8, to + 80);
  }
}
