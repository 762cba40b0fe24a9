// Functions of complex numbers have canonical names for each of their parts.
// REQUIRES: cuda, cpu
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,function(sroa,instcombine<no-verify-fixpoint>)' -S | FileCheck %s --check-prefixes=CHECK,GPU

#include <complex>

#define F extern "C" __device__

using Single = std::complex<float>;
using Double = std::complex<double>;

// On the CPU by name; on a GPU std::complex has a formula.
// CPU-LABEL: define {{.*}}@positive_exp(
// CPU-DAG: call {{.*}}double @kernix.complex_exp_real.f64(double {{.*}}, double {{.*}})
// CPU-DAG: call {{.*}}double @kernix.complex_exp_imaginary.f64(double {{.*}}, double {{.*}})
// CPU: ret
#ifdef __KERNIX_CPU__
F double positive_exp(double _Complex z) {
  double _Complex y = __builtin_cexp(z);
  return __real__ y * __imag__ y;
}

// CPU-LABEL: define {{.*}}@positive_single(
// CPU: call {{.*}}float @kernix.complex_log_imaginary.f32(float {{.*}}, float {{.*}})
F float positive_single(float _Complex z) { return __imag__ __builtin_clogf(z); }

// CPU-LABEL: define {{.*}}@positive_abs(
// CPU: call {{.*}}double @kernix.complex_abs.f64(double {{.*}}, double {{.*}})
F double positive_abs(double _Complex z) { return __builtin_cabs(z); }

// CPU-LABEL: define {{.*}}@positive_argument(
// CPU: call {{.*}}float @kernix.atan2.f32(float {{.*}}, float {{.*}})
F float positive_argument(float _Complex z) { return __builtin_cargf(z); }

// CPU-LABEL: define {{.*}}@positive_quotient(
// CPU: call {{.*}}double @kernix.complex_div_real.f64(double {{.*}}, double {{.*}}, double {{.*}}, double {{.*}})
F double positive_quotient(double _Complex z, double _Complex w) { return __real__ (z / w); }

// Another function of that name.
// CPU-LABEL: define {{.*}}@negative_signature(
// CPU: call {{.*}}@cexp(
F double cexp(double);
F double negative_signature(double x) { return cexp(x); }
#endif

// What libstdc++ compares with 0 is not inlined.
// CHECK-LABEL: define {{.*}}@positive_root(
// CHECK: call {{.*}}double @kernix.complex_sqrt_real.f64(double
F double positive_root(double x, double y) { return std::sqrt(Double(x, y)).real(); }

// CHECK-LABEL: define {{.*}}@positive_power(
// CHECK: call {{.*}}float @kernix.complex_pow_imaginary.f32(float {{.*}}, float {{.*}}, float {{.*}}, float
F float positive_power(float x, float y) { return std::pow(Single(x, y), Single(y, x)).imag(); }

// CHECK-LABEL: define {{.*}}@positive_power_of_real(
// CHECK: call {{.*}}double @kernix.complex_pow_of_real_real.f64(double {{.*}}, double {{.*}}, double
F double positive_power_of_real(double x, double y) { return std::pow(Double(x, y), 2.5).real(); }

// GPU-NOT: kernix.complex_exp
// GPU-LABEL: define {{.*}}@negative_formula(
// GPU: ret
F double negative_formula(double x, double y) { return std::exp(Double(x, y)).real(); }
