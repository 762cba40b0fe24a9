// The same on the CUDA target: the flag, and the launch through the runtime that the object is linked with.
// RUN: %toolkit-host -S -emit-llvm -o - %s | FileCheck %s
// RUN: %toolkit-device -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
// REQUIRES: cuda
#include <kernix/kernix.h>

[[kernix::bind]] __global__ void kernel(float *y) { *y = 1; }
[[kernix::bind]] __device__ float device(float x) { return x; }

// CHECK: @kernix_module_info = linkonce_odr {{.*}}constant %struct.kernix_module_info { i32 {{[0-9]+}}, i32 1,
// CHECK: @__kernix_function_{{.*}} i32 0, i32 {{[0-9]+}}, i32 1, {{.*}} ptr @_Z21__device_stub__kernelPf, ptr null, ptr null, ptr @_ZN6kernix6detail8cuda_apiE,
// A device function cannot be called from the host.
// CHECK: @__kernix_function_{{.*}} i32 2, i32 4, i32 1, {{.*}} ptr null, ptr null, ptr null, ptr null,
// CHECK: @_ZN6kernix6detail8cuda_apiE = linkonce_odr {{.*}}constant %struct.kernix_cuda_api { ptr @cudaLaunchKernel, ptr @cudaGetDevice, ptr @cudaSetDevice,

// DEVICE-NOT: kernix_function
// DEVICE: define dso_local ptx_kernel void @_Z6kernelPf(
// DEVICE-NOT: kernix_function
