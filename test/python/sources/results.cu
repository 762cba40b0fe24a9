// Host functions: what they return, how scalars, strings and structs get in and out.
#include <complex>
#include <cstdint>
#include <cstring>
#include <kernix/kernix.h>
#include <stdexcept>
#include <string_view>

namespace geo {
struct Point {
  float x, y;
};
struct Box {
  Point low, high;
  int tag[2];
};
[[kernix::bind]] float area(Box box) { return (box.high.x - box.low.x) * (box.high.y - box.low.y) + float(box.tag[1]); }
[[kernix::bind]] Point middle(Box box) { return {(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2}; }
} // namespace geo

enum class Color { red, green = 5 };

[[kernix::bind]] int8_t as_int8(int8_t v) { return v; }
[[kernix::bind]] uint8_t as_uint8(uint8_t v) { return v; }
[[kernix::bind]] int16_t as_int16(int16_t v) { return v; }
[[kernix::bind]] int as_int(int v) { return v; }
[[kernix::bind]] int64_t as_int64(int64_t v) { return v; }
[[kernix::bind]] uint64_t as_uint64(uint64_t v) { return v; }
[[kernix::bind]] bool as_bool(bool v) { return v; }
[[kernix::bind]] float as_float(float v) { return v; }
[[kernix::bind]] double as_double(double v) { return v; }
[[kernix::bind]] std::complex<float> as_complex(std::complex<float> v) { return v; }
[[kernix::bind]] std::complex<double> as_complex128(std::complex<double> v) { return v; }
[[kernix::bind]] Color as_color(Color v) { return v; }

[[kernix::bind]] int length(const char *text) { return static_cast<int>(std::strlen(text)); }
[[kernix::bind]] int view_length(std::string_view text) { return static_cast<int>(text.size()); }

[[kernix::bind]] double defaults(double a, double b = 2.5, int c = 3, bool d = true) { return d ? a * b + c : -1; }

[[kernix::bind]] bool divide(int a, int b, [[kernix::intent(out_return)]] int &quotient,
                             [[kernix::intent(out_return)]] int &remainder) {
  if (b == 0)
    return false;
  quotient = a / b;
  remainder = a % b;
  return true;
}
[[kernix::bind]] void only_quotient(int a, int b, [[kernix::intent(out_return)]] int &quotient) { quotient = a / b; }
[[kernix::bind]] void squares([[kernix::intent(out_array_return, 4)]] int *out) {
  for (int i = 0; i < 4; ++i)
    out[i] = i * i;
}
using Matrix = int[2][3];
[[kernix::bind]] void indices([[kernix::intent(out_array_return, 6)]] Matrix &out) {
  for (int i = 0; i < 6; ++i)
    out[i / 3][i % 3] = i;
}
[[kernix::bind]] void count_up([[kernix::intent(inout_ptr)]] int &counter) { ++counter; }

[[kernix::bind]] void fail(int how) {
  if (how == 0)
    throw std::runtime_error("the oven is cold");
  throw 7;
}
[[kernix::bind]] void nothing() {}

// Defaults that are more than a number.
struct Vector {
  float x = 1, y[2] = {2, 3};
};
struct Settings {
  Vector vector;
  std::complex<double> z = {4, 5};
  bool flag = true;
  unsigned char byte = 255;
  long large = -(1l << 40);
};
[[kernix::bind]] Settings settings(Settings settings = {}) { return settings; }
[[kernix::bind]] float sum_of(const Vector &v = {10, {20}}, Vector w = Vector()) {
  return v.x + v.y[0] + v.y[1] + w.x + w.y[1];
}
[[kernix::bind]] int text_or_nothing(const char *text = nullptr) { return text ? text[0] : -1; }

// A kernix::Tensor has the dtype of the tensor whose shape it has.
[[kernix::bind]] void like(const kernix::Tensor x, [[kernix::shape("x")]] kernix::Tensor y,
                           [[kernix::intent(out_return), kernix::shape("y")]] kernix::Tensor z) {}
[[kernix::bind]] void of_no_dtype([[kernix::shape("3")]] kernix::Tensor y) {}
