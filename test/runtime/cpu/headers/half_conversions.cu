// RUN: %cpu-cc %t -O1 -I%inputs %s && %t
// RUN: %cpu-cc %t.bf16 -O1 -DBFLOAT16 -I%inputs %s && %t.bf16
// RUN: %cpu-cc %t.native -O3 -march=native -I%inputs %s && %t.native
//
// Conversions of half and bfloat16: every bit pattern to everything, and numbers next to every rounding boundary back.
#include "check.h"
#include "half_or_bfloat16.h"
#include <climits>

static_assert(sizeof(T) == 2 && alignof(T) == 2);

// What a kernel finds, for the host to compare: one slot per conversion.
constexpr int to_slots = 16, from_slots = 12;
__global__ void convert_to(float *floats, double *doubles, long long *integers) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T x = AS(i);
  floats[i] = NAME(__, 2float)(x);
  doubles[i] = static_cast<double>(static_cast<float>(x));
  long long *out = integers + i * to_slots;
  out[0] = NAME(__, 2int_rn)(x), out[1] = NAME(__, 2int_rz)(x), out[2] = NAME(__, 2int_ru)(x);
  out[3] = NAME(__, 2int_rd)(x), out[4] = NAME(__, 2uint_rn)(x), out[5] = NAME(__, 2short_rn)(x);
  out[6] = NAME(__, 2ushort_rz)(x), out[7] = NAME(__, 2ll_rn)(x);
  out[8] = static_cast<long long>(NAME(__, 2ull_ru)(x)), out[9] = static_cast<int>(x);
  out[10] = static_cast<bool>(x), out[11] = NAME(__, 2char_rz)(x), out[12] = static_cast<unsigned char>(x);
  out[13] = static_cast<long long>(x), out[14] = static_cast<short>(x), out[15] = NAME(__, 2uint_rd)(x);
}

__global__ void convert_from(const double *in, int count, unsigned short *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  auto x = static_cast<float>(in[i]);
  unsigned short *to = out + i * from_slots;
  to[0] = BITS(NAME(__float2, )(x)), to[1] = BITS(NAME(__float2, _rn)(x)), to[2] = BITS(NAME(__float2, _rz)(x));
  to[3] = BITS(NAME(__float2, _ru)(x)), to[4] = BITS(NAME(__float2, _rd)(x)), to[5] = BITS(NAME(__double2, )(in[i]));
  to[6] = BITS(T(x)), to[7] = BITS(T(in[i]));
  T assigned;
  assigned = x;
  to[8] = BITS(assigned);
  to[9] = to[10] = to[11] = 0;
}

__global__ void convert_from_integer(const long long *in, int count, unsigned short *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned short *to = out + i * from_slots;
  to[0] = BITS(NAME(__ll2, _rn)(in[i])), to[1] = BITS(NAME(__ll2, _rz)(in[i])), to[2] = BITS(NAME(__ll2, _ru)(in[i]));
  to[3] = BITS(NAME(__ll2, _rd)(in[i])), to[4] = BITS(NAME(__int2, _rn)(static_cast<int>(in[i])));
  to[5] = BITS(NAME(__uint2, _rz)(static_cast<unsigned>(in[i])));
  to[6] = BITS(NAME(__ull2, _ru)(static_cast<unsigned long long>(in[i])));
  to[7] = BITS(NAME(__short2, _rd)(static_cast<short>(in[i])));
  to[8] = BITS(NAME(__ushort2, _rn)(static_cast<unsigned short>(in[i])));
  to[9] = BITS(T(static_cast<int>(in[i]))), to[10] = BITS(T(in[i]));
  to[11] = BITS(T(static_cast<unsigned short>(in[i])));
}

// Conversion to an integer of 8, 16, 32 or 64 bits as CUDA has it.
long long integer(double x, double (*round)(double), double lowest, double highest, long long low, long long high,
                  long long not_a_number) {
  if (std::isnan(x))
    return not_a_number;
  x = round(x);
  return x <= lowest ? low : x >= highest ? high : static_cast<long long>(x);
}
#define INTEGER(x, round, low, high, nan)                                                                              \
  integer(x, round, static_cast<double>(low), static_cast<double>(high), low, high, nan)

int main() {
  std::vector<float> floats(65536);
  std::vector<double> doubles(65536);
  std::vector<long long> integers(65536 * to_slots);
  convert_to<<<256, 256>>>(floats.data(), doubles.data(), integers.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (unsigned bits = 0; bits < 65536; ++bits) {
    double x = format.value(bits);
    CHECK(std::isnan(x) ? std::isnan(floats[bits]) && std::isnan(doubles[bits])
                        : floats[bits] == x && doubles[bits] == x && std::signbit(floats[bits]) == std::signbit(x));
    const long long *out = &integers[bits * to_slots];
    CHECK(out[0] == INTEGER(x, std::rint, INT_MIN, INT_MAX, 0));
    CHECK(out[1] == INTEGER(x, std::trunc, INT_MIN, INT_MAX, 0));
    CHECK(out[2] == INTEGER(x, std::ceil, INT_MIN, INT_MAX, 0));
    CHECK(out[3] == INTEGER(x, std::floor, INT_MIN, INT_MAX, 0));
    CHECK(out[4] == INTEGER(x, std::rint, 0, UINT_MAX, 0));
    CHECK(out[5] == INTEGER(x, std::rint, SHRT_MIN, SHRT_MAX, 0));
    CHECK(out[6] == INTEGER(x, std::trunc, 0, USHRT_MAX, 0));
    CHECK(out[7] == INTEGER(x, std::rint, LLONG_MIN, LLONG_MAX, LLONG_MIN));
    if (!(x > 0x1p62)) // above, the conversion back to long long is not the value
      CHECK(out[8] == INTEGER(x, std::ceil, 0, LLONG_MAX, LLONG_MIN));
    CHECK(out[9] == out[1]);
    CHECK(out[10] == (x != 0));
    CHECK(out[11] == INTEGER(x, std::trunc, -128, 127, 0));
    CHECK(out[12] == INTEGER(x, std::trunc, 0, 255, 0));
    CHECK(out[13] == INTEGER(x, std::trunc, LLONG_MIN, LLONG_MAX, LLONG_MIN));
    CHECK(out[14] == INTEGER(x, std::trunc, SHRT_MIN, SHRT_MAX, 0));
    CHECK(out[15] == INTEGER(x, std::floor, 0, UINT_MAX, 0));
  }

  std::vector<double> in;
  for (unsigned bits = 0; bits < format.infinity; ++bits) {
    double low = format.values[bits], high = format.values[bits + 1], middle = (low + high) / 2;
    for (double x : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300), low + (high - low) / 4})
      for (double y : {x, static_cast<double>(std::nextafter(static_cast<float>(x), 0.0f)),
                       static_cast<double>(std::nextafter(static_cast<float>(x), 1e38f))})
        in.insert(in.end(), {y, -y});
  }
  for (double x : {1e-320, 1e-50, 1e-45, 1e10, 1e39, 1e300, HUGE_VAL, std::nan(""), 65519.0, 65520.0, 65521.0, 3.4e38})
    in.insert(in.end(), {x, -x});
  auto count = static_cast<int>(in.size());
  std::vector<unsigned short> out(in.size() * from_slots);
  convert_from<<<(count + 255) / 256, 256>>>(in.data(), count, out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    auto single = static_cast<double>(static_cast<float>(in[i]));
    const unsigned short *to = &out[i * from_slots];
    unsigned nearest = format.round(single);
    CHECK(to[0] == nearest && to[1] == nearest && to[6] == nearest && to[8] == nearest);
    CHECK(to[2] == format.round(single, 'z'));
    CHECK(to[3] == format.round(single, 'u'));
    CHECK(to[4] == format.round(single, 'd'));
    CHECK(to[5] == format.round(in[i]) && to[7] == to[5]);
  }

  std::vector<long long> whole;
  std::mt19937_64 random(2);
  for (int shift = 0; shift < 64; ++shift)
    for (int k = 0; k < 200; ++k)
      whole.push_back(static_cast<long long>(random()) >> shift);
  for (long long x = -70000; x < 70000; ++x)
    whole.push_back(x);
  for (long long x :
       {0ll, LLONG_MAX, LLONG_MIN, LLONG_MAX - 1, (1ll << 62) + (1ll << 53), (1ll << 62) + (1ll << 54) + 1})
    whole.push_back(x);
  count = static_cast<int>(whole.size());
  out.assign(whole.size() * from_slots, 0);
  convert_from_integer<<<(count + 255) / 256, 256>>>(whole.data(), count, out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  // The low 32 bits apart: both parts are exact in double precision.
  auto reference = [](auto x, char direction) {
    auto high = static_cast<double>(x / 4294967296 * 4294967296), low = static_cast<double>(x % 4294967296);
    double sum = high + low;
    return format.round(sum, direction, (high - sum) + low);
  };
  for (int i = 0; i < count; ++i) {
    long long x = whole[i];
    const unsigned short *to = &out[i * from_slots];
    CHECK(to[0] == reference(x, 'n') && to[1] == reference(x, 'z'));
    CHECK(to[2] == reference(x, 'u') && to[3] == reference(x, 'd'));
    CHECK(to[4] == reference(static_cast<long long>(static_cast<int>(x)), 'n'));
    CHECK(to[5] == reference(static_cast<long long>(static_cast<unsigned>(x)), 'z'));
    CHECK(to[6] == reference(static_cast<unsigned long long>(x), 'u'));
    CHECK(to[7] == reference(static_cast<long long>(static_cast<short>(x)), 'd'));
    CHECK(to[8] == reference(static_cast<long long>(static_cast<unsigned short>(x)), 'n'));
    CHECK(to[9] == to[4] && to[10] == to[0] && to[11] == to[8]);
  }
}
