// The packed call of tvm-ffi, its metadata and its documentation.
// RUN: %cpu-host -S -emit-llvm -O1 -o - %s | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind]] float f(float x) { return x; }

// CHECK: define linkonce_odr noundef i32 @__tvm_ffi_f(ptr {{.*}}%0, ptr {{.*}}%[[ARGS:.*]], i32 {{.*}}%[[COUNT:.*]], ptr {{.*}}%[[RESULT:.*]]) {{.*}}comdat {{.*}}{
// CHECK: call i32 @kernix_tvm_ffi_call(ptr noundef nonnull @__kernix_slot_f, ptr noundef %[[ARGS]], i32 noundef %[[COUNT]], ptr noundef %[[RESULT]])
// CHECK: define linkonce_odr noundef i32 @__tvm_ffi__metadata_f(ptr {{.*}}%0, ptr {{.*}}%1, i32 {{.*}}%2, ptr {{.*}}%[[PARAMETER:.*]]) {{.*}}comdat {{.*}}{
// CHECK: store ptr %[[PARAMETER]], ptr %[[PLACE:[0-9]+]],
// CHECK: %[[RESULT:.*]] = load ptr, ptr %[[PLACE]]
// CHECK: call i32 @kernix_tvm_ffi_metadata(ptr noundef @__kernix_slot_f, ptr noundef %[[RESULT]])
// CHECK: define linkonce_odr noundef i32 @__tvm_ffi__doc_f(ptr {{.*}}%0, ptr {{.*}}%1, i32 {{.*}}%2, ptr {{.*}}%[[PARAMETER:.*]]) {{.*}}comdat {{.*}}{
// CHECK: store ptr %[[PARAMETER]], ptr %[[PLACE:[0-9]+]],
// CHECK: %[[RESULT:.*]] = load ptr, ptr %[[PLACE]]
// CHECK: call i32 @kernix_tvm_ffi_doc(ptr noundef @__kernix_slot_f, ptr noundef %[[RESULT]])
