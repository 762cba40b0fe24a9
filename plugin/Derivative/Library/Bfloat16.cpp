// Bfloat16.cpp - what the code generator calls for rounding to bfloat16 on CPUs without such an instruction. The
// compilers' runtime libraries have these functions only since GCC 13.

namespace {

// Rounding to nearest even is integer addition on the bits; a NaN stays one.
__bf16 round_bits(unsigned bits, bool is_nan) {
  unsigned rounded = is_nan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
  return __builtin_bit_cast(__bf16, static_cast<unsigned short>(rounded >> 16));
}

} // namespace

extern "C" __bf16 __truncsfbf2(float x) { return round_bits(__builtin_bit_cast(unsigned, x), x != x); }

// To float first, to odd: the second rounding then sees whether something was lost in the first.
extern "C" __bf16 __truncdfbf2(double x) {
  float single = static_cast<float>(x);
  unsigned bits = __builtin_bit_cast(unsigned, single);
  double back = static_cast<double>(single);
  if (back != x && x == x && (bits & 1u) == 0)
    bits = __builtin_fabs(back) > __builtin_fabs(x) ? bits - 1 : bits + 1;
  return round_bits(bits, x != x);
}
