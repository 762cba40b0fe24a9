// Names of CUDA's math library, of the C library and of LLVM become one name on both targets.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CPU

#include <cmath>

#define F extern "C" __device__

// CHECK-LABEL: define {{.*}}@positive_single(
// CHECK: call {{.*}}float @kernix.sin.f32(float
F float positive_single(float x) { return sinf(x); }

// CHECK-LABEL: define {{.*}}@positive_double(
// CHECK: call {{.*}}double @kernix.exp.f64(double
F double positive_double(double x) { return exp(x); }

// CHECK-LABEL: define {{.*}}@positive_standard(
// CHECK: call {{.*}}float @kernix.tanh.f32(float
F float positive_standard(float x) { return std::tanh(x); }

// Not by its body, which compares its operands.
// CHECK-LABEL: define {{.*}}@positive_lerp(
// CHECK: call {{.*}}float @kernix.lerp.f32(float %0, float %1, float %2)
// CHECK-NEXT: ret
F float positive_lerp(float a, float b, float t) { return std::lerp(a, b, t); }
// CHECK-LABEL: define {{.*}}@positive_lerp_of_mixed(
// CHECK: call {{.*}}double @kernix.lerp.f64(double %{{.*}}, double %1, double {{.*}}5.000000e-01)
// CHECK-NEXT: ret
F double positive_lerp_of_mixed(float a, double b) { return std::lerp(a, b, 0.5f); }
namespace cuda::std::inline __4 {
template <class T> __device__ T __lerp(T a, T b, T t) { return a + t * (b - a); }
} // namespace cuda::std::inline __4
// CHECK-LABEL: define {{.*}}@positive_lerp_of_cuda(
// CHECK: call {{.*}}float @kernix.lerp.f32(float %0, float %1, float %2)
// CHECK-NEXT: ret
F float positive_lerp_of_cuda(float a, float b, float t) { return cuda::std::__lerp(a, b, t); }
namespace own {
template <class T> __device__ T __lerp(T a, T b, T t) { return a + t * (b - a); }
} // namespace own
// CHECK-LABEL: define {{.*}}@negative_lerp(
// CHECK-NOT: kernix.lerp
// CHECK: ret
F float negative_lerp(float a, float b, float t) { return own::__lerp(a, b, t); }

// CHECK-LABEL: define {{.*}}@positive_power_of_integer(
// CUDA: call {{.*}}double @kernix.powi.f64(double %0, i32 3)
// CPU: call {{.*}}double @kernix.pow.f64(double %0, double 3
F double positive_power_of_integer(double x) { return std::pow(x, 3); }

// CHECK-LABEL: define {{.*}}@positive_fast(
// CUDA: call {{.*}}float @kernix.fast.sin.f32(float
// CPU: call {{.*}}float @kernix.sin.f32(float
F float positive_fast(float x) { return __sinf(x); }

// CHECK-LABEL: define {{.*}}@positive_pair(
// CHECK-DAG: call {{.*}}float @kernix.sin.f32(float %0)
// CHECK-DAG: call {{.*}}float @kernix.cos.f32(float %0)
// CHECK: ret
F float positive_pair(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s + c;
}

// CHECK-LABEL: define {{.*}}@positive_fraction(
// CHECK: call {{.*}}float @kernix.modf_fraction.f32(float %0)
// CHECK: call {{.*}}float @llvm.trunc.f32(float %0)
F float positive_fraction(float x) {
  float whole;
  float part = modff(x, &whole);
  return part * whole;
}

// CHECK-LABEL: define {{.*}}@positive_exponent(
// CHECK: call {{.*}}double @kernix.frexp_mantissa.f64(double %0)
// CHECK: call {{.*}}i32 @kernix.frexp_exponent.f64(double %0)
F double positive_exponent(double x) {
  int e;
  double m = frexp(x, &e);
  return ldexp(m, -e);
}

// Beyond the C library: the CPU target's own functions.
// CHECK-LABEL: define {{.*}}@positive_special(
// CHECK-DAG: call {{.*}}double @kernix.erfcinv.f64(double %0)
// CHECK-DAG: call {{.*}}double @kernix.normcdf.f64(double %0)
// CHECK-DAG: call {{.*}}double @kernix.norm3d.f64(double %0, double %0, double %0)
// CHECK-DAG: call {{.*}}double @kernix.cyl_bessel_i1.f64(double %0)
// CHECK: ret
F double positive_special(double x) { return erfcinv(x) + normcdf(x) + norm3d(x, x, x) + cyl_bessel_i1(x); }

// What is the same everywhere is LLVM's own.
// CHECK-LABEL: define {{.*}}@positive_native(
// CHECK-DAG: call {{.*}}float @llvm.maxnum.f32(
// CHECK-DAG: call {{.*}}float @llvm.fma.f32(
// CHECK-DAG: call {{.*}}float @llvm.floor.f32(
// CHECK: ret
F float positive_native(float x, float y) { return fmaxf(fmaf(x, y, x), floorf(y)); }

// Nothing may be fused with it.
// CHECK-LABEL: define {{.*}}@positive_rounded_to_nearest(
// CHECK: fmul float
F float positive_rounded_to_nearest(float x, float y) { return __fmul_rn(x, y); }

// CHECK-LABEL: define {{.*}}@positive_rounded_otherwise(
// CHECK: call {{.*}}float @kernix.mul_rz.f32(float
F float positive_rounded_otherwise(float x, float y) { return __fmul_rz(x, y); }

// CHECK-LABEL: define {{.*}}@positive_remainder(
// CHECK: call {{.*}}float @kernix.fmod.f32(float
F float positive_remainder(float x, float y) { return fmodf(x, y); }

// CHECK-LABEL: define {{.*}}@positive_class(
// CHECK-NOT: __nv_
// CHECK: fcmp uno float
F int positive_class(float x) { return std::isnan(x); }

// A function of the same name with a body is somebody's own.
// CHECK-LABEL: define {{.*}}@negative_own(
// CHECK-NOT: kernix.
// CHECK: fmul
namespace mine {
__device__ double normcdf(double x) { return x * 3; }
} // namespace mine
F double negative_own(double x) { return mine::normcdf(x); }

// Names that libdevice has behind `__nv_`, and the C library has not.
extern "C" __device__ float int_as_float(int);
extern "C" __device__ double dadd_rn(double, double);
// CHECK-LABEL: define {{.*}}@negative_own_declarations(
// CHECK: call {{.*}}@int_as_float(
// CHECK: call {{.*}}@dadd_rn(
F double negative_own_declarations(int x, double y) { return int_as_float(x) + dadd_rn(y, y); }

// CHECK-DAG: declare float @kernix.sin.f32(float) [[PURE:#[0-9]+]]
// CHECK-DAG: attributes [[PURE]] = { nocallback nofree nosync nounwind willreturn memory(none) }
