// [[kernix::instantiate]]: type names of arg_spec, built-in types, and names visible where the template stands.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

namespace ns {
struct Pixel {
  float r, g, b;
};
namespace deep {
using Real = double;
template <class T>
[[kernix::bind, kernix::instantiate("float", "float16", "__nv_bfloat16", "int8", "unsigned short", "Pixel", "deep::Real",
                                    "::ns::Long")]] __global__ void
k(const T *x, T *y);
} // namespace deep
using Long = long;
// CHECK: kernel ns::deep::k = ns::deep::k<float>(const float *x, float *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer float32
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK: kernel ns::deep::k = ns::deep::k<__half>(const __half *x, __half *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer float16
// CHECK-NEXT:   y: ret pointer float16 written
// CHECK: kernel ns::deep::k = ns::deep::k<__nv_bfloat16>(const __nv_bfloat16 *x, __nv_bfloat16 *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer bfloat16
// CHECK-NEXT:   y: ret pointer bfloat16 written
// CHECK: kernel ns::deep::k = ns::deep::k<signed char>(const signed char *x, signed char *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer int8
// CHECK-NEXT:   y: ret pointer int8 written
// CHECK: kernel ns::deep::k = ns::deep::k<unsigned short>(const unsigned short *x, unsigned short *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer uint16
// CHECK-NEXT:   y: ret pointer uint16 written
// CHECK: kernel ns::deep::k = ns::deep::k<ns::Pixel>(const ns::Pixel *x, ns::Pixel *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer float32 3
// CHECK-NEXT:   y: ret pointer float32 3 written
// CHECK: kernel ns::deep::k = ns::deep::k<double>(const double *x, double *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer float64
// CHECK-NEXT:   y: ret pointer float64 written
// CHECK: kernel ns::deep::k = ns::deep::k<long>(const long *x, long *y) [arg ret] only-x
// CHECK-NEXT:   x: arg pointer int64
// CHECK-NEXT:   y: ret pointer int64 written
template <class T> __global__ void deep::k(const T *x, T *y) { *y = *x; }
} // namespace ns

// CHECK: host already = already<float>(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
// CHECK: host already = already<int>(int x) [attr.x:int32]
// CHECK-NEXT:   x: attr scalar int32
// CHECK-NEXT:   -> ret scalar int32
template <class T> [[kernix::bind, kernix::instantiate("float", "int")]] T already(T x) { return x; }
template float already(float);

// CHECK: kernel complexes = complexes<std::complex<float>>(std::complex<float> *y) [ret] only-x
// CHECK-NEXT: y: ret pointer complex64 written
// CHECK: kernel complexes = complexes<std::complex<double>>(std::complex<double> *y) [ret] only-x
// CHECK-NEXT: y: ret pointer complex128 written
template <class T>
[[kernix::bind, kernix::instantiate("complex64", "complex128")]] __global__ void complexes(T *y) {
  y[threadIdx.x] = T(1);
}

// Several arguments in one string, and what has a default left out.
// CHECK: kernel sums = sums<float, double, 128>(const float *x, double *y) [arg ret] only-x
// CHECK: kernel sums = sums<__half, float, 64>(const __half *x, float *y) [arg ret] only-x
// CHECK: kernel sums = sums<__nv_bfloat16, float, 128>(const __nv_bfloat16 *x, float *y) [arg ret] only-x
template <class Storage, class Sum, int Size = 128>
[[kernix::bind, kernix::instantiate("float, double", "__half , float , 0x40", "bfloat16,float")]] __global__ void
sums(const Storage *x, Sum *y) {
  *y = Sum(*x);
}

template <class T> struct Wide {
  using Type = float;
};
template <> struct Wide<double> {
  using Type = double;
};
// CHECK: kernel defaults = defaults<double, double, false>(const double *x, double *y) [arg ret] only-x
// CHECK: kernel defaults = defaults<__half, float, false>(const __half *x, float *y) [arg ret] only-x
template <class T, class Sum = typename Wide<T>::Type, bool IsFast = false>
[[kernix::bind, kernix::instantiate("double", "__half")]] __global__ void defaults(const T *x, Sum *y) {
  *y = Sum(*x);
}

// CHECK: host number = number<-3, true>(int x) [attr.x:int32]
template <int N, bool IsNegative> [[kernix::bind, kernix::instantiate("-3, true")]] int number(int x) { return x * N; }
