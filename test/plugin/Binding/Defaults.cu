// Constant default arguments are recorded.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <limits>
#include <string_view>

enum class Mode : short { A, B = 7 };
constexpr int Answer = 42;
#define HALF 0.5f

// CHECK: host integers = integers(int a, unsigned char b, long long c, bool d, char e, unsigned long f, Mode g, int h) [attr.a:int32 attr.b:uint8 attr.c:int64 attr.d:bool attr.e:int8 attr.f:uint64 attr.g:int16 attr.h:int32]
// CHECK-NEXT:   a: attr scalar int32 default=3
// CHECK-NEXT:   b: attr scalar uint8 default=255
// CHECK-NEXT:   c: attr scalar int64 default=-1099511627776
// CHECK-NEXT:   d: attr scalar bool default=true
// CHECK-NEXT:   e: attr scalar int8 default=99
// CHECK-NEXT:   f: attr scalar uint64 default=18446744073709551615
// CHECK-NEXT:   g: attr scalar int16 default=7
// CHECK-NEXT:   h: attr scalar int32 default=43
[[kernix::bind]] void integers(int a = 3, unsigned char b = 255, long long c = -(1ll << 40), bool d = true,
                               char e = 'c', unsigned long f = -1ul, Mode g = Mode::B, int h = Answer + 1) {}
// CHECK: host reals = reals(float a, double b, float c, double d, float e) [attr.a:float32 attr.b:float64 attr.c:float32 attr.d:float64 attr.e:float32]
// CHECK-NEXT:   a: attr scalar float32 default=0.5
// CHECK-NEXT:   b: attr scalar float64 default=1e+300
// CHECK-NEXT:   c: attr scalar float32 default=2
// CHECK-NEXT:   d: attr scalar float64 default="-inf"
// CHECK-NEXT:   e: attr scalar float32 default="nan"
[[kernix::bind]] void reals(float a = HALF, double b = 1e300, float c = 2, double d = -std::numeric_limits<double>::infinity(),
                            float e = __builtin_nanf("")) {}
// CHECK: host halves = halves(__half a, __half b, __nv_bfloat16 c, _Float16 d) [attr.a:float16 attr.b:float16 attr.c:bfloat16 attr.d:float16]
// CHECK-NEXT:   a: attr scalar float16 default=1.5
// CHECK-NEXT:   b: attr scalar float16 default=-2
// CHECK-NEXT:   c: attr scalar bfloat16 default=0.5
// CHECK-NEXT:   d: attr scalar float16 default=1.25
[[kernix::bind]] void halves(__half a = __float2half(1.5f), __half b = __half(-2.f), __nv_bfloat16 c = __float2bfloat16(0.5f),
                             _Float16 d = 1.25f16) {}
// CHECK: host complexNumbers = complexNumbers(std::complex<float> a, std::complex<double> b) [attr.a:complex64 attr.b:complex128]
// CHECK-NEXT:   a: attr scalar complex64 default=[1, -2]
// CHECK-NEXT:   b: attr scalar complex128 default=[3, 0]
[[kernix::bind]] void complexNumbers(std::complex<float> a = {1, -2}, std::complex<double> b = 3) {}
// CHECK: host strings = strings(const char *a, std::string_view b, std::string_view c, const char *d) [attr.a:string attr.b:string attr.c:string attr.d:string]
// CHECK-NEXT:   a: attr c_string any default="text"
// CHECK-NEXT:   b: attr string_view any default="view"
// CHECK-NEXT:   c: attr string_view any default=""
// CHECK-NEXT:   d: attr c_string any default="quote \" and \\ \u00e9"
[[kernix::bind]] void strings(const char *a = "text", std::string_view b = "view", std::string_view c = {},
                              const char *d = "quote \" and \\ \xc3\xa9") {}
// CHECK: host references = references(const int &a, const double &b) [attr.a:int32 attr.b:float64]
// CHECK-NEXT:   a: attr scalar int32 default=3
// CHECK-NEXT:   b: attr scalar float64 default=2.5
[[kernix::bind]] void references(const int &a = 3, const double &b = 2.5) {}
// CHECK: host optionalTensors = optionalTensors(const kernix::Tensor &a, kernix::TensorView<const float> b) [arg arg]
// CHECK-NEXT:   a: arg tensor any optional
// CHECK-NEXT:   b: arg tensor_view float32 optional
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind]] int optionalTensors(const kernix::Tensor &a = {}, kernix::TensorView<const float> b = {}) { return 0; }
// CHECK: kernel optionalPointers = optionalPointers(float *y, const float *a, const float *b) [ret arg arg] only-x
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   a: arg pointer float32 optional
// CHECK-NEXT:   b: arg pointer float32 optional
[[kernix::bind]] __global__ void optionalPointers(float *y, const float *a = nullptr, const float *b = 0) { *y = 1; }
// CHECK: host allocatedNotOptional = allocatedNotOptional(const kernix::Tensor x, kernix::Tensor y) [arg ret]
// CHECK-NEXT:   x: arg tensor any
// CHECK-NEXT:   y: ret tensor any written shape=(x) like 0
[[kernix::bind]] void allocatedNotOptional(const kernix::Tensor x, [[kernix::shape("x")]] kernix::Tensor y = {}) {
  y.data_ptr<float>()[0] = 1;
}

void earlier(int a, int b = 2);
void earlier(int a = 1, int b);
// CHECK: host earlier = earlier(int a, int b) [attr.a:int32 attr.b:int32]
// CHECK-NEXT:   a: attr scalar int32 default=1
// CHECK-NEXT:   b: attr scalar int32 default=2
[[kernix::bind]] void earlier(int a, int b) {}

// CHECK: host inTemplate = inTemplate<double>(double a, double b) [attr.a:float64 attr.b:float64]
// CHECK-NEXT:   a: attr scalar float64 default=3
// CHECK-NEXT:   b: attr scalar float64 default=8
// CHECK-NEXT:   -> ret scalar float64
template <class T> [[kernix::bind]] T inTemplate(T a = T(3), T b = sizeof(T)) { return a; }
template double inTemplate(double, double);

// CHECK: host streams = streams(cudaStream_t s) [stream]
// CHECK-NEXT:   s: stream stream any
[[kernix::bind]] void streams(cudaStream_t s = nullptr) {}
// CHECK: host nullString = nullString(const char *s)
// CHECK-NEXT:   s: attr c_string any optional default=null
[[kernix::bind]] void nullString(const char *s = nullptr) {}

struct Base {
  short s = -3;
};
struct Inner : Base {
  double d[2] = {1};
  std::complex<float> z = {0, 1};
};
struct Outer {
  Inner inner[2] = {{}, {{4}, {5, 6}, 7}};
  bool b = true;
  unsigned long u = -1ul;
  Mode mode = Mode::B;
  _Float16 h = 0.5f16;
};
constexpr Base Constant{9};
template <class T> struct Pair {
  T a, b;
};
// CHECK: host structs = structs(Outer a, Base b, const Base &c, Base d, Pair<int> e)
// CHECK-NEXT:   a: attr struct any default=[-3, [1, 0], [0, 1], 4, [5, 6], [7, 0], true, 18446744073709551615, 7, 0.5]
// CHECK-NEXT:   b: attr struct any default=[2]
// CHECK-NEXT:   c: attr struct any default=[-3]
// CHECK-NEXT:   d: attr struct any default=[9]
// CHECK-NEXT:   e: attr struct any default=[1, 0]
[[kernix::bind]] void structs(Outer a = {}, Base b = {2}, const Base &c = Base(), Base d = Constant, Pair<int> e = {1}) {}
