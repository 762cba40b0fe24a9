// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: %t.O0 && %t.O1 && %t.O2 && %t.O3
//
// The DPX functions against straightforward code on the host, in 64-bit numbers.
#include "check.h"
#include <algorithm>
#include <random>
#include <vector>

constexpr int count = 2048, slots = 64;

__global__ void all(const unsigned *in, long long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  int a = static_cast<int>(x), b = static_cast<int>(y), c = static_cast<int>(z);
  long long *to = out + slots * i;
  bool first, second;
  *to++ = __viaddmax_s32(a, b, c), *to++ = __viaddmin_s32(a, b, c);
  *to++ = __viaddmax_s32_relu(a, b, c), *to++ = __viaddmin_s32_relu(a, b, c);
  *to++ = __viaddmax_u32(x, y, z), *to++ = __viaddmin_u32(x, y, z);
  *to++ = __vimax3_s32(a, b, c), *to++ = __vimin3_s32(a, b, c), *to++ = __vimax3_s32_relu(a, b, c);
  *to++ = __vimin3_s32_relu(a, b, c), *to++ = __vimax3_u32(x, y, z), *to++ = __vimin3_u32(x, y, z);
  *to++ = __vimax_s32_relu(a, b), *to++ = __vimin_s32_relu(a, b);
  *to++ = __vibmax_s32(a, b, &first), *to++ = first, *to++ = __vibmin_s32(a, b, &first), *to++ = first;
  *to++ = __vibmax_u32(x, y, &first), *to++ = first, *to++ = __vibmin_u32(x, y, &first), *to++ = first;
  *to++ = __viaddmax_s16x2(x, y, z), *to++ = __viaddmin_s16x2(x, y, z), *to++ = __viaddmax_s16x2_relu(x, y, z);
  *to++ = __viaddmin_s16x2_relu(x, y, z), *to++ = __viaddmax_u16x2(x, y, z), *to++ = __viaddmin_u16x2(x, y, z);
  *to++ = __vimax3_s16x2(x, y, z), *to++ = __vimin3_s16x2(x, y, z), *to++ = __vimax3_s16x2_relu(x, y, z);
  *to++ = __vimin3_s16x2_relu(x, y, z), *to++ = __vimax3_u16x2(x, y, z), *to++ = __vimin3_u16x2(x, y, z);
  *to++ = __vimax_s16x2_relu(x, y), *to++ = __vimin_s16x2_relu(x, y);
  *to++ = __vibmax_s16x2(x, y, &first, &second), *to++ = first, *to++ = second;
  *to++ = __vibmin_s16x2(x, y, &first, &second), *to++ = first, *to++ = second;
  *to++ = __vibmax_u16x2(x, y, &first, &second), *to++ = first, *to++ = second;
  *to++ = __vibmin_u16x2(x, y, &first, &second), *to++ = first, *to++ = second;
}

using Three = long long (*)(long long, long long, long long);
template <class T> long long wrap(long long x) { return static_cast<T>(x); }

template <class T> long long add_max(long long a, long long b, long long c) { return std::max(wrap<T>(a + b), c); }
template <class T> long long add_min(long long a, long long b, long long c) { return std::min(wrap<T>(a + b), c); }
long long max3(long long a, long long b, long long c) { return std::max({a, b, c}); }
long long min3(long long a, long long b, long long c) { return std::min({a, b, c}); }
long long max2(long long a, long long b, long long) { return std::max(a, b); }
long long min2(long long a, long long b, long long) { return std::min(a, b); }
template <Three F> long long relu(long long a, long long b, long long c) { return std::max(F(a, b, c), 0ll); }

template <class T> long long halves(Three f, unsigned x, unsigned y, unsigned z) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 16)
    result |= static_cast<unsigned>(
                  f(static_cast<T>(x >> shift), static_cast<T>(y >> shift), static_cast<T>(z >> shift)) & 0xffff)
              << shift;
  return result;
}

int main() {
  std::mt19937 random(1);
  std::vector<unsigned> in(3 * count);
  for (unsigned &x : in)
    x = random() % 4 == 0 ? random() % 5 - 2 : random();
  for (int i = 0; i < count; i += 7)
    in[3 * i + 1] = random() % 2 ? in[3 * i] : in[3 * i] ^ 0x10000u;
  std::vector<long long> out(slots * count);
  all<<<count / 128, 128>>>(in.data(), out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    long long a = static_cast<int>(x), b = static_cast<int>(y), c = static_cast<int>(z);
    const long long *got = &out[slots * i];
    for (Three f : {Three(add_max<int>), Three(add_min<int>), Three(relu<add_max<int>>), Three(relu<add_min<int>>)})
      CHECK(*got++ == f(a, b, c));
    CHECK(*got++ == add_max<unsigned>(x, y, z));
    CHECK(*got++ == add_min<unsigned>(x, y, z));
    for (Three f : {max3, min3, Three(relu<max3>), Three(relu<min3>)})
      CHECK(*got++ == f(a, b, c));
    CHECK(*got++ == max3(x, y, z));
    CHECK(*got++ == min3(x, y, z));
    CHECK(*got++ == relu<max2>(a, b, 0));
    CHECK(*got++ == relu<min2>(a, b, 0));
    CHECK(*got++ == max2(a, b, 0));
    CHECK(*got++ == static_cast<long long>(a >= b));
    CHECK(*got++ == min2(a, b, 0));
    CHECK(*got++ == static_cast<long long>(a <= b));
    CHECK(*got++ == max2(x, y, 0));
    CHECK(*got++ == static_cast<long long>(x >= y));
    CHECK(*got++ == min2(x, y, 0));
    CHECK(*got++ == static_cast<long long>(x <= y));
    for (Three f :
         {Three(add_max<short>), Three(add_min<short>), Three(relu<add_max<short>>), Three(relu<add_min<short>>)})
      CHECK(*got++ == halves<short>(f, x, y, z));
    for (Three f : {Three(add_max<unsigned short>), Three(add_min<unsigned short>)})
      CHECK(*got++ == halves<unsigned short>(f, x, y, z));
    for (Three f : {max3, min3, Three(relu<max3>), Three(relu<min3>)})
      CHECK(*got++ == halves<short>(f, x, y, z));
    for (Three f : {max3, min3})
      CHECK(*got++ == halves<unsigned short>(f, x, y, z));
    for (Three f : {Three(relu<max2>), Three(relu<min2>)})
      CHECK(*got++ == halves<short>(f, x, y, z));
    short high[] = {static_cast<short>(x >> 16), static_cast<short>(y >> 16)};
    short low[] = {static_cast<short>(x), static_cast<short>(y)};
    CHECK(*got++ == halves<short>(max2, x, y, 0));
    CHECK(*got++ == static_cast<long long>(high[0] >= high[1]));
    CHECK(*got++ == static_cast<long long>(low[0] >= low[1]));
    CHECK(*got++ == halves<short>(min2, x, y, 0));
    CHECK(*got++ == static_cast<long long>(high[0] <= high[1]));
    CHECK(*got++ == static_cast<long long>(low[0] <= low[1]));
    CHECK(*got++ == halves<unsigned short>(max2, x, y, 0));
    CHECK(*got++ == static_cast<long long>(x >> 16 >= y >> 16));
    CHECK(*got++ == static_cast<long long>((x & 0xffff) >= (y & 0xffff)));
    CHECK(*got++ == halves<unsigned short>(min2, x, y, 0));
    CHECK(*got++ == static_cast<long long>(x >> 16 <= y >> 16));
    CHECK(*got++ == static_cast<long long>((x & 0xffff) <= (y & 0xffff)));
  }
  return 0;
}
