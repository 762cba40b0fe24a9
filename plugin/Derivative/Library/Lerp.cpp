// Lerp.cpp - linear interpolation between two numbers, as the C++ standard library has it on every target.
//
// At the ends of the interval exactly the numbers there, and monotonic.

namespace {

template <class T> T lerp(T a, T b, T t) {
  if ((a <= 0 && b >= 0) || (a >= 0 && b <= 0))
    return t * b + (1 - t) * a;
  if (t == 1)
    return b;
  const T inside = a + t * (b - a);
  const bool is_before = (t > 1) == (b > a) ? b < inside : b > inside;
  return is_before ? inside : b;
}

} // namespace

extern "C" float kernix_library_lerp_f32(float a, float b, float t) { return lerp(a, b, t); }
extern "C" double kernix_library_lerp_f64(double a, double b, double t) { return lerp(a, b, t); }
