// A derivative's cosine shares the tables and the slow path of the primal's sine, which clang has linked already.
// REQUIRES: cuda
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | sed 's/kernix_cos_f64/"kernix.cos.f64"/g' > %t.ll
// RUN: env KERNIX_TEST_LIBDEVICE=%libdevice %opt -load-pass-plugin=%plugin -passes=kernix-lower,verify -S %t.ll | FileCheck %s
// CHECK: @__cudart_sin_cos_coeffs =
// CHECK-NOT: @__cudart_sin_cos_coeffs{{[.0-9]+}} =
// CHECK: define internal {{.*}}@__nv_sin(
// CHECK: define internal {{.*}}@__internal_trig_reduction_slowpathd(
// CHECK-NOT: define {{.*}}@__internal_{{[a-z_]+[.]?[0-9]+}}(
// CHECK: define internal {{.*}}@__nv_cos(
// CHECK-NOT: define {{.*}}@__internal_{{[a-z_]+[.]?[0-9]+}}(

extern "C" __device__ double kernix_cos_f64(double);
extern "C" __device__ double f(double x) { return sin(x) + kernix_cos_f64(x); }
