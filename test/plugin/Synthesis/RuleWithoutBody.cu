// A derivative that is declared and nowhere defined is an error where it is needed, and not one of the linker. Device code
// that is linked from several files may have it in another one.
// RUN: not %cuda-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %cuda-device -fgpu-rdc -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LINKED
#include <kernix/kernix.h>

#define BOUND [[kernix::bind, kernix::differentiable]] __global__

// LINKED-DAG: declare {{.*}}@_Z8cube_bwdfPff(
__device__ void cube_bwd(float x, float *gx, float g);
[[kernix::backward_derivative(cube_bwd)]] __device__ float cube(float x) { return x * x * x; }
// CHECK: :[[@LINE+1]]:66: error: cannot differentiate 'negative': the derivative of 'cube' that is written by hand cannot be used here: 'cube_bwd', declared in line [[@LINE-2]] of RuleWithoutBody.cu, has no body in this file
BOUND void negative(const float *x, float *y) { y[threadIdx.x] = cube(x[threadIdx.x]); }
template <class T> __device__ void power_bwd(T x, T *gx, T g);
template <class T> [[kernix::backward_derivative(power_bwd)]] __device__ T power(T x) { return x * x * x; }
// CHECK: error: cannot differentiate 'negative_template': {{.*}}'power_bwd', declared in line [[@LINE-2]] of RuleWithoutBody.cu, has no body in this file
BOUND void negative_template(const float *x, float *y) { y[threadIdx.x] = power(x[threadIdx.x]); }

// Further below, in a template, and of what no derivative needs.
__device__ void square_bwd(float x, float *gx, float g);
[[kernix::backward_derivative(square_bwd)]] __device__ float square(float x) { return x * x; }
template <class T> __device__ void twice_bwd(T x, T *gx, T g);
template <class T> [[kernix::backward_derivative(twice_bwd)]] __device__ T twice(T x) { return 2 * x; }
BOUND void positive(const float *x, float *y) { y[threadIdx.x] = twice(square(x[threadIdx.x])); }
__device__ void square_bwd(float x, float *gx, float g) { *gx += 2 * x * g; }
template <class T> __device__ void twice_bwd(T x, T *gx, T g) { *gx += 2 * g; }
[[kernix::bind]] __global__ void positive_value(const float *x, float *y) { y[threadIdx.x] = cube(x[threadIdx.x]); }
