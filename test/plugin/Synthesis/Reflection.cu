// kernix_info_<name> and the slot that the doors of an operation share; one per public name.
// RUN: %cpu-host -S -emit-llvm -O1 -o - %s | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind("operation")]] float first(float x) { return x; }
[[kernix::bind("operation")]] static int second(int x) { return x; }
namespace geo {
[[kernix::bind]] float area(float x) { return x; }
} // namespace geo

// CHECK: @__kernix_slot_operation = linkonce_odr hidden global %struct.kernix_operation_slot { ptr @[[NAME:.*]], ptr @kernix_module_info, ptr null }, comdat
// CHECK-NOT: __kernix_slot_operation = {{.*}}global
// CHECK: @"__kernix_slot_geo::area" = linkonce_odr hidden global

// CHECK: define linkonce_odr noundef ptr @kernix_info_operation() {{.*}}comdat {{.*}}{
// CHECK-NEXT: call ptr @kernix_operation_resolve(ptr noundef @__kernix_slot_operation)
// CHECK: define linkonce_odr noundef ptr @"kernix_info_geo::area"() {{.*}}comdat {{.*}}{
