// test/runtime/core/bind_test.cpp - scalars, structs, strings, streams and defaults as the function receives them.

#include "record.h"

#include <gtest/gtest.h>
#include <string_view>

namespace kernix::test {

namespace {

/// Calls a host function and gives it what the thunk's arguments point at.
struct Host {
  Record record;
  static inline std::function<void(void *const *, void *)> body;

  Host(const char *signature, std::vector<kernix_parameter> parameters)
      : record(signature, std::move(parameters), KERNIX_HOST_FUNCTION) {
    record.function.thunk = [](void *const *args, void *result) { body(args, result); };
  }
  template <class T> T received(const std::vector<kernix_value> &values, size_t index = 0) {
    T seen = {};
    body = [&](void *const *args, void *) { seen = *static_cast<const T *>(args[index]); };
    EXPECT_EQ(error_of(record, values), "ok");
    return seen;
  }
};

TEST(Bind, Scalars) {
  Host host("f(int n, float a)", {attribute("n", int32), attribute("a", float32)});
  EXPECT_EQ(host.received<int32_t>({integer(-7), real(0.5)}), -7);
  EXPECT_EQ(host.received<float>({integer(-7), real(0.5)}, 1), 0.5f);
  EXPECT_EQ(error_of(host.record, {integer(5000000000), real(0)}),
            "value: f(int n, float a): argument 'n': expected int32 (-2147483648 to 2147483647), got int 5000000000");
  EXPECT_EQ(error_of(host.record, {real(3), real(0)}),
            "type: f(int n, float a): argument 'n': expected an integer (int32), got float 3.0");
  EXPECT_EQ(error_of(host.record, {real(0.0 / 0.0), real(0)}),
            "type: f(int n, float a): argument 'n': expected an integer (int32), got float nan");
  EXPECT_EQ(
      error_of(host.record, {make_value(KERNIX_VALUE_BIG_INT), real(0)}),
      "value: f(int n, float a): argument 'n': expected int32 (-2147483648 to 2147483647), got an int of more than "
      "64 bits");
  EXPECT_EQ(error_of(host.record, {integer(1), real(1e300)}),
            "value: f(int n, float a): argument 'a': expected a number within the range of float32, got float 1e+300");
  EXPECT_EQ(error_of(host.record, {integer(1), complex(1, 2)}),
            "type: f(int n, float a): argument 'a': expected a real number (float32), got complex (1.0, 2.0)");
  EXPECT_EQ(error_of(host.record, {none(), real(0)}),
            "type: f(int n, float a): argument 'n': expected an integer (int32), got None");
  EXPECT_EQ(error_of(host.record, {integer(1), absent()}), "type: f(int n, float a): argument 'a' is missing");
}

TEST(Bind, WrongNumberOfValues) {
  Host host("f(int n)", {attribute("n", int32)});
  EXPECT_EQ(error_of(host.record, {}), "type: f(int n): expected 1 arguments, got 0");
}

TEST(Bind, Defaults) {
  auto with_default = [](kernix_parameter p) { return p.flags |= KERNIX_HAS_DEFAULT, p; };
  kernix_parameter n = with_default(attribute("n", int32)), u = with_default(attribute("u", uint64)),
                   a = with_default(attribute("a", float32)), z = with_default(attribute("z", complex64)),
                   b = with_default(attribute("b", boolean)), h = with_default(attribute("h", bfloat16));
  n.default_integer = -3;
  u.default_integer = -1; // the bits of UINT64_MAX
  a.default_real[0] = h.default_real[0] = 1.5;
  z.default_real[0] = 1, z.default_real[1] = 2;
  b.default_integer = 1;
  Host host("f(...)", {n, u, a, z, b, h});
  const std::vector<kernix_value> nothing(6, absent());
  EXPECT_EQ(host.received<int32_t>(nothing, 0), -3);
  EXPECT_EQ(host.received<uint64_t>(nothing, 1), UINT64_MAX);
  EXPECT_EQ(host.received<float>(nothing, 2), 1.5f);
  EXPECT_EQ((host.received<std::pair<float, float>>(nothing, 3)), std::pair(1.f, 2.f));
  EXPECT_EQ(host.received<bool>(nothing, 4), true);
  EXPECT_EQ(host.received<uint16_t>(nothing, 5), 0x3fc0);
}

TEST(Bind, Strings) {
  kernix_parameter c = parameter("c", "const char *", KERNIX_PASS_C_STRING, no_dtype),
                   v = parameter("v", "std::string_view", KERNIX_PASS_STRING_VIEW, no_dtype);
  v.flags |= KERNIX_HAS_DEFAULT;
  v.default_string = "fallback";
  Host host("f(const char *c, std::string_view v)", {c, v});
  EXPECT_STREQ(host.received<const char *>({string("abc"), string("")}), "abc");
  EXPECT_EQ(host.received<std::string_view>({string("abc"), string("a\0b", 3)}, 1), std::string_view("a\0b", 3));
  EXPECT_EQ(host.received<std::string_view>({string("abc"), absent()}, 1), "fallback");
  EXPECT_EQ(
      error_of(host.record, {string("a\0b", 3), absent()}),
      "value: f(const char *c, std::string_view v): argument 'c': expected a string without null characters (const "
      "char *), got str 'a\\x00b'");
  EXPECT_EQ(error_of(host.record, {integer(3), absent()}),
            "type: f(const char *c, std::string_view v): argument 'c': expected a str, got int 3");
  EXPECT_EQ(error_of(host.record, {none(), absent()}),
            "type: f(const char *c, std::string_view v): argument 'c': expected a str, got None");
}

struct Pair {
  float x;
  int32_t n[2];
  bool operator==(const Pair &other) const { return x == other.x && n[0] == other.n[0] && n[1] == other.n[1]; }
};
const kernix_field pair_fields[] = {{"x", float32, 0, 1, "float"}, {"n", int32, 4, 2, "int[2]"}};
kernix_parameter pair_parameter(kernix_passing passing = KERNIX_PASS_STRUCT) {
  kernix_parameter p = parameter("p", "Pair", passing, no_dtype);
  p.size = sizeof(Pair);
  p.alignment = alignof(Pair);
  p.num_fields = 2;
  p.fields = pair_fields;
  return p;
}

TEST(Bind, Structs) {
  Host host("f(Pair p)", {pair_parameter()});
  EXPECT_EQ(host.received<Pair>({fields({real(0.5), integer(1), integer(2)})}), (Pair{0.5f, {1, 2}}));
  EXPECT_EQ(error_of(host.record, {integer(3)}),
            "type: f(Pair p): argument 'p': expected the fields of Pair, got int 3");
  EXPECT_EQ(error_of(host.record, {fields({real(0.5), integer(1), real(2)})}),
            "type: f(Pair p): argument 'p.n[1]': expected an integer (int32), got float 2.0");
  EXPECT_EQ(error_of(host.record, {fields({absent(), integer(1), integer(2)})}),
            "type: f(Pair p): argument 'p.x' is missing");
}

TEST(Bind, ReferencesOfDeviceFunctionsWithIntentInAreCopies) {
  kernix_parameter r = parameter("r", "float &", KERNIX_PASS_REFERENCE, float32);
  r.intent = KERNIX_INTENT_IN;
  Record record("f(float &r)", {r}, KERNIX_DEVICE_FUNCTION);
  record.function.thunk = [](void *const *args, void *) { *static_cast<float *>(args[0]) = 9; };
  EXPECT_EQ(error_of(record, {real(1)}), "ok");
}

TEST(Bind, ReferencesThatAreWrittenTakeOneElement) {
  kernix_parameter r = parameter("r", "float &", KERNIX_PASS_REFERENCE, float32);
  r.intent = KERNIX_INTENT_INOUT_PTR;
  r.flags = KERNIX_WRITTEN;
  Record record("f(float &r)", {r}, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *args, void *) { *static_cast<float *>(args[0]) += 1; };
  Array x({1});
  x.data<float>()[0] = 41;
  EXPECT_EQ(error_of(record, {value(x)}), "ok");
  EXPECT_EQ(x.data<float>()[0], 42);
  EXPECT_EQ(error_of(record, {value(Array({2}))}),
            "value: f(float &r): argument 'r': expected a tensor of 1 element, got one of shape (2,)");
  EXPECT_EQ(error_of(record, {value(Array({1}, float64))}),
            "type: f(float &r): argument 'r': expected a tensor of float32, got one of float64");
  EXPECT_EQ(error_of(record, {real(1)}),
            "type: f(float &r): argument 'r': expected a tensor of float32 with one element "
            "(the function writes to this reference), got float 1.0");
  record.function.flags |= KERNIX_FOR_CUDA; // still host memory
  EXPECT_EQ(error_of(record, {value(x)}), "ok");
  EXPECT_EQ(
      error_of(record, {value(x.on(KERNIX_CUDA, 0))}),
      "value: f(float &r): argument 'r': expected a tensor on the CPU (a reference of a host function), got one on "
      "cuda:0");
}

TEST(Bind, ReferencesOfMixedStructsTakeTheirBytes) {
  kernix_parameter p = pair_parameter(KERNIX_PASS_REFERENCE);
  p.intent = KERNIX_INTENT_OUT_PTR;
  Record record("f(Pair &p)", {p}, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *args, void *) { *static_cast<Pair *>(args[0]) = {1, {2, 3}}; };
  Array bytes({sizeof(Pair)}, uint8);
  EXPECT_EQ(error_of(record, {value(bytes)}), "ok");
  EXPECT_EQ(*bytes.data<Pair>(), (Pair{1, {2, 3}}));
  EXPECT_EQ(error_of(record, {value(Array({3}, uint8))}),
            "value: f(Pair &p): argument 'p': expected a tensor of 12 elements, got one of shape (3,)");
}

TEST(Bind, Streams) {
  kernix_parameter s = parameter("s", "cudaStream_t", KERNIX_PASS_STREAM, no_dtype);
  s.role = KERNIX_STREAM;
  Host host("f(cudaStream_t s)", {s});
  int dummy;
  void *seen = &dummy;
  Host::body = [&](void *const *args, void *) { seen = *static_cast<void *const *>(args[0]); };
  Call call;
  EXPECT_EQ(call(host.record, {absent()}), KERNIX_OK);
  EXPECT_EQ(seen, nullptr);
  call.options.has_stream = 1;
  call.options.stream = &dummy;
  EXPECT_EQ(call(host.record, {absent()}), KERNIX_OK);
  EXPECT_EQ(seen, &dummy);
  EXPECT_EQ(call(host.record, {integer(2)}), KERNIX_OK);
  EXPECT_EQ(seen, reinterpret_cast<void *>(2));
  EXPECT_EQ(error_of(host.record, {real(2)}),
            "type: f(cudaStream_t s): argument 's': expected a stream, got float 2.0");
}

} // namespace

} // namespace kernix::test
