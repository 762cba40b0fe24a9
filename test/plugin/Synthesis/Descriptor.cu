// The constants of a bound function, in the host pass.
// RUN: %cpu-host -S -emit-llvm -o - %s | FileCheck %s
// RUN: %cpu-device -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE --allow-empty
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind, kernix::block(32)]] __global__ void kernel(const float *x, [[kernix::optional]] float2 *y) { *y = {}; }
[[kernix::bind]] static int internal(unsigned char a = 3) { return a; }

// The section's bounds and the module.
// CHECK: @__start_kernix_functions = external hidden constant
// CHECK: @kernix_module_info = linkonce_odr constant %struct.kernix_module_info { i32 {{[0-9]+}}, i32 0, ptr @.str, ptr @__start_kernix_functions, ptr @__stop_kernix_functions }, comdat

// CHECK: @__kernix_function_[[KERNEL:[0-9a-f]+]] = linkonce_odr hidden constant %struct.kernix_function { i32 {{[0-9]+}}, i32 [[#]],
// CHECK-SAME: i32 0, i32 {{[0-9]+}}, i32 2, ptr @__kernix_parameters_[[KERNEL]],
// CHECK-SAME: ptr @_Z21__device_stub__kernelPKfP6float2, ptr null, ptr @__kernix_launch_[[KERNEL]], ptr @_ZN6kernix6detail8cuda_apiE,
// CHECK-SAME: ptr null, ptr null, ptr null, i32 0, ptr null }, comdat
// CHECK: @__kernix_entry_[[KERNEL]] = linkonce_odr hidden constant ptr @__kernix_function_[[KERNEL]], section "kernix_functions", comdat

// A function of this file only: nothing is merged.
// CHECK: @_ZL34__kernix_function_[[INTERNAL:[0-9a-f]+]] = internal constant %struct.kernix_function {
// CHECK-SAME: i32 1, i32 0, i32 1, ptr @_ZL36__kernix_parameters_[[INTERNAL]],
// CHECK-SAME: ptr null, ptr @_ZN6kernix6detail5Thunk{{.*}}4callEPKPvS{{[0-9]*}}_, ptr null, ptr @_ZN6kernix6detail8cuda_apiE,
// CHECK: @_ZL31__kernix_entry_[[INTERNAL]] = internal constant ptr @_ZL34__kernix_function_[[INTERNAL]], section "kernix_functions", align

// Role, intent, passing, flags, dtype; vector types have an axis of their own; optional 1, written 32, default 2.
// CHECK: @__kernix_parameters_[[KERNEL]] = linkonce_odr hidden constant [2 x %struct.kernix_parameter]
// CHECK-SAME: i32 0, i32 0, i32 1, i32 0, %struct.kernix_dtype { i8 2, i8 32, i16 1 }, i32 -1, i32 0, [2 x i64] zeroinitializer, i32 4, i32 8, i32 8,
// CHECK-SAME: i32 1, i32 0, i32 1, i32 33, %struct.kernix_dtype { i8 2, i8 32, i16 1 }, i32 -1, i32 1, [2 x i64] [i64 2, i64 0], i32 8, i32 8, i32 8,
// CHECK: @_ZL36__kernix_parameters_[[INTERNAL]] = internal constant [1 x %struct.kernix_parameter]
// CHECK-SAME: i32 2, i32 0, i32 4, i32 2, %struct.kernix_dtype { i8 1, i8 8, i16 1 }, {{.*}}, i32 1, i32 1, i32 0, ptr null, i32 0, i64 3,

// Kept by the compiler and, with SHF_GNU_RETAIN, by linkers.
// CHECK: @llvm.used = {{.*}}ptr @__kernix_entry_[[KERNEL]]{{.*}}ptr @_ZL31__kernix_entry_[[INTERNAL]]

// DEVICE-NOT: kernix_function
