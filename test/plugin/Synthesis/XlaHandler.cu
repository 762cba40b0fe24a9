// The handler of XLA's FFI: of kernels, host functions and derivatives, one per operation.
// RUN: %cpu-host -S -emit-llvm -O1 -o - %s | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind]] float f(float x) { return x; }
[[kernix::bind]] double f(double x) { return x; }
[[kernix::bind]] float call(float x) { return x; }
[[kernix::bind]] float target(float x) { return x; }
[[kernix::bind]] float handler(float x) { return x; }
[[kernix::bind, kernix::differentiable]] __global__ void twice(const float *x, float *y) { y[0] = 2 * x[0]; }

// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_f(ptr {{.*}}%[[FRAME:.*]]) {{.*}}comdat {{.*}}{
// CHECK-DAG: call ptr @kernix_handle_xla_call(ptr noundef @__kernix_slot_f, ptr noundef %{{.*}})
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_call(
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_target(
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_handler(
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_twice(
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_twice_fwd(
// CHECK-DAG: define linkonce_odr noundef ptr @kernix_xla_twice_bwd(
// CHECK-DAG: call ptr @kernix_handle_xla_call(ptr noundef @__kernix_slot_twice_bwd, ptr noundef %{{.*}})
