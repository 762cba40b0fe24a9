// The role table: what a parameter of each type means.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %cpu-host -funsigned-char -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <string_view>

// CHECK: host tensors = tensors(const kernix::Tensor a, kernix::Tensor b, const kernix::Tensor &c) [arg ret arg]
// CHECK-NEXT:   a: arg tensor any
// CHECK-NEXT:   b: ret tensor any written
// CHECK-NEXT:   c: arg tensor any
[[kernix::bind]] void tensors(const kernix::Tensor a, kernix::Tensor b, const kernix::Tensor &c) {
  b.data_ptr<float>()[0] = 1;
}

// CHECK: host views = views(kernix::TensorView<const float> a, const kernix::TensorView<float> b, kernix::TensorView<float> c, const kernix::TensorView<const int> d) [arg arg ret arg]
// CHECK-NEXT:   a: arg tensor_view float32
// CHECK-NEXT:   b: arg tensor_view float32
// CHECK-NEXT:   c: ret tensor_view float32 written
// CHECK-NEXT:   d: arg tensor_view int32
[[kernix::bind]] void views(kernix::TensorView<const float> a, const kernix::TensorView<float> b,
                            kernix::TensorView<float> c, const kernix::TensorView<const int> d) {
  c(0) = 1;
}

// CHECK: kernel pointers = pointers(const float *x, float *y, const double *__restrict z, const bool *b, const float *const w) [arg ret arg arg arg] only-x
// CHECK-NEXT:   x: arg pointer float32
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   z: arg pointer float64
// CHECK-NEXT:   b: arg pointer bool
// CHECK-NEXT:   w: arg pointer float32
[[kernix::bind]] __global__ void pointers(const float *x, float *y, const double *__restrict__ z, const bool *b,
                                          float const *const w) {
  *y = *x;
}

// CHECK: kernel viewsInKernel = viewsInKernel(kernix::TensorView<const float> x, kernix::TensorView<float> y) [arg ret] only-x
// CHECK-NEXT:   x: arg tensor_view float32
// CHECK-NEXT:   y: ret tensor_view float32 written
[[kernix::bind]] __global__ void viewsInKernel(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  y(0) = x(0);
}

// CHECK: kernel elements = elements(float4 *f4, const int2 *i2, const __half *h, const __nv_bfloat16 *b, const std::complex<float> *c, const unsigned char *u8, const __half2 *h2, const double4 *d4, const char *ch) [ret arg arg arg arg arg arg arg arg] only-x
// CHECK-NEXT:   f4: ret pointer float32 4 written
// CHECK-NEXT:   i2: arg pointer int32 2
// CHECK-NEXT:   h: arg pointer float16
// CHECK-NEXT:   b: arg pointer bfloat16
// CHECK-NEXT:   c: arg pointer complex64
// CHECK-NEXT:   u8: arg pointer uint8
// CHECK-NEXT:   h2: arg pointer float16 2
// CHECK-NEXT:   d4: arg pointer float64 4
// CHECK-NEXT:   ch: arg pointer int8
[[kernix::bind]] __global__ void elements(float4 *f4, const int2 *i2, const __half *h, const __nv_bfloat16 *b,
                                          const std::complex<float> *c, const unsigned char *u8, const __half2 *h2,
                                          const double4 *d4, const char *ch) {
  *f4 = float4();
}

struct Point {
  float x, y, z;
};
struct Matrix {
  double m[3][4];
};
struct Ray {
  Point origin, direction;
};
// CHECK: kernel structElements = structElements(const Point *p, const Matrix *m, Ray *r, const Point x[4]) [arg arg ret arg] only-x
// CHECK-NEXT:   p: arg pointer float32 3
// CHECK-NEXT:   m: arg pointer float64 3x4
// CHECK-NEXT:   r: ret pointer float32 6 written
// CHECK-NEXT:   x: arg pointer float32 3
[[kernix::bind]] __global__ void structElements(const Point *p, const Matrix *m, Ray *r, const Point x[4]) {
  r->origin = p[0];
}

// CHECK: host scalars = scalars(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned int u, long l, unsigned long ul, long long ll, unsigned long long ull, float f, double d) [attr.b:bool attr.c:int8 attr.sc:int8 attr.uc:uint8 attr.s:int16 attr.us:uint16 attr.i:int32 attr.u:uint32 attr.l:int64 attr.ul:uint64 attr.ll:int64 attr.ull:uint64 attr.f:float32 attr.d:float64]
// CHECK-NEXT:   b: attr scalar bool
// CHECK-NEXT:   c: attr scalar int8
// CHECK-NEXT:   sc: attr scalar int8
// CHECK-NEXT:   uc: attr scalar uint8
// CHECK-NEXT:   s: attr scalar int16
// CHECK-NEXT:   us: attr scalar uint16
// CHECK-NEXT:   i: attr scalar int32
// CHECK-NEXT:   u: attr scalar uint32
// CHECK-NEXT:   l: attr scalar int64
// CHECK-NEXT:   ul: attr scalar uint64
// CHECK-NEXT:   ll: attr scalar int64
// CHECK-NEXT:   ull: attr scalar uint64
// CHECK-NEXT:   f: attr scalar float32
// CHECK-NEXT:   d: attr scalar float64
[[kernix::bind]] void scalars(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us, int i,
                              unsigned u, long l, unsigned long ul, long long ll, unsigned long long ull, float f,
                              double d) {}

// CHECK: host halfScalars = halfScalars(__half h, __nv_bfloat16 b, _Float16 f, __bf16 g) [attr.h:float16 attr.b:bfloat16 attr.f:float16 attr.g:bfloat16]
// CHECK-NEXT:   h: attr scalar float16
// CHECK-NEXT:   b: attr scalar bfloat16
// CHECK-NEXT:   f: attr scalar float16
// CHECK-NEXT:   g: attr scalar bfloat16
[[kernix::bind]] void halfScalars(__half h, __nv_bfloat16 b, _Float16 f, __bf16 g) {}
// CHECK: host complexScalars = complexScalars(std::complex<float> c, std::complex<double> z) [attr.c:complex64 attr.z:complex128]
// CHECK-NEXT:   c: attr scalar complex64
// CHECK-NEXT:   z: attr scalar complex128
[[kernix::bind]] void complexScalars(std::complex<float> c, std::complex<double> z) {}

enum Old { One, Two };
enum class Small : unsigned char { A };
// CHECK: host enums = enums(Old o, Small s) [attr.o:uint32 attr.s:uint8]
// CHECK-NEXT:   o: attr scalar uint32
// CHECK-NEXT:   s: attr scalar uint8
[[kernix::bind]] void enums(Old o, Small s) {}

// CHECK: host constReferences = constReferences(const int &i, const Point &p, const std::complex<float> &c) [attr.i:int32 attr.p:struct attr.c:complex64]
// CHECK-NEXT:   i: attr scalar int32
// CHECK-NEXT:   p: attr struct any .x:float32@0 .y:float32@4 .z:float32@8
// CHECK-NEXT:   c: attr scalar complex64
[[kernix::bind]] void constReferences(const int &i, const Point &p, const std::complex<float> &c) {}

// CHECK: host strings = strings(const char *s, std::string_view v) [attr.s:string attr.v:string]
// CHECK-NEXT:   s: attr c_string any
// CHECK-NEXT:   v: attr string_view any
[[kernix::bind]] void strings(const char *s, std::string_view v) {}

struct Base {
  int id;
};
struct Options : Base {
  Point where;
  Small kind;
  float weights[3];
  Point corners[2];
};
// CHECK: host structByValue = structByValue(Options o, float2 v) [attr.o:struct attr.v:struct]
// CHECK-NEXT:   o: attr struct any .id:int32@0 .where.x:float32@4 .where.y:float32@8 .where.z:float32@12 .kind:uint8@16 .weights:float32[3]@20 .corners.0.x:float32@32 .corners.0.y:float32@36 .corners.0.z:float32@40 .corners.1.x:float32@44 .corners.1.y:float32@48 .corners.1.z:float32@52
// CHECK-NEXT:   v: attr struct any .x:float32@0 .y:float32@4
[[kernix::bind]] void structByValue(Options o, float2 v) {}

// CHECK: host cudaStream = cudaStream(cudaStream_t s) [stream]
// CHECK-NEXT:   s: stream stream any
[[kernix::bind]] void cudaStream(cudaStream_t s) {}
// CHECK: host kernixStream = kernixStream(kernix::Stream s) [stream]
// CHECK-NEXT:   s: stream stream any
[[kernix::bind]] void kernixStream(kernix::Stream s) {}
// CHECK: host namedStream = namedStream(int64_t stream) [stream]
// CHECK-NEXT:   stream: stream stream any
[[kernix::bind]] void namedStream(int64_t stream) {}
// CHECK: host notNamedStream = notNamedStream(int64_t other, int stream) [attr.other:int64 attr.stream:int32]
// CHECK-NEXT:   other: attr scalar int64
// CHECK-NEXT:   stream: attr scalar int32
[[kernix::bind]] void notNamedStream(int64_t other, int stream) {}
// CHECK: kernel noStreamInKernel = noStreamInKernel(long stream) [attr.stream:int64] only-x
// CHECK-NEXT:   stream: attr scalar int64
[[kernix::bind]] __global__ void noStreamInKernel(long stream) {}

// CHECK: host results = results(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret struct any .x:float32@0 .y:float32@4 .z:float32@8
[[kernix::bind]] Point results(float x) { return {x, x, x}; }
// CHECK: device deviceFunction = deviceFunction(float a, const float *p, float &r) [attr.a:float32 arg attr.r:float32]
// CHECK-NEXT:   a: attr scalar float32
// CHECK-NEXT:   p: arg pointer float32
// CHECK-NEXT:   r: attr reference float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] __device__ float deviceFunction(float a, const float *p, float &r) { return a; }
// CHECK: host both = both(float a) [attr.a:float32]
// CHECK-NEXT:   a: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] __host__ __device__ float both(float a) { return a; }
