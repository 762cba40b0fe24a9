// Adjoints of 16-bit numbers in shared memory and in arrays of a thread's own are floats, twice as far from the
// beginning of the shadow as the numbers from that of the variable.
// REQUIRES: cuda
// RUN: %toolkit-device -O2 -S -emit-llvm -Rpass=kernix %s -o %t.ll 2> %t.err
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=GLOBALS --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.err
// RUN: %cpu-device -O2 -S -emit-llvm %s -o %t.cpu.ll
// RUN: FileCheck %s --check-prefix=CPU --input-file=%t.cpu.ll
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// GLOBALS-DAG: @kernix_shadow.{{.*}} = {{.*}}[8 x float] undef, align 4
// CHECK-LABEL: define {{.*}}staged_bwd
// CHECK-NOT: atomicrmw fadd {{.*}}half {{.*}}syncscope("block")
// CHECK: atomicrmw fadd {{.*}}float {{.*}}syncscope("block")
// CHECK: ret void
// PTX-LABEL: .entry {{.*}}staged_bwd
// PTX: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void staged(const __half *w, const int *at, float *y, int n) {
  __shared__ __half tile[8];
  if (threadIdx.x < 8)
    tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  if (I < n)
    y[I] = __half2float(tile[at[I]]);
}

// Two numbers of a word, each with a float of its own.
// GLOBALS-DAG: @kernix_shadow.{{.*}} = {{.*}}[12 x float] undef, align 8
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void pairs(const __nv_bfloat162 *w, const int *at, float *y, int n) {
  __shared__ __nv_bfloat162 tile[6];
  if (threadIdx.x < 6)
    tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  if (I < n)
    y[I] = __low2float(tile[at[I]]) * __high2float(tile[at[I]]);
}

// What the primal has of dynamic shared memory is a third.
// CHECK-LABEL: define {{.*}}dynamic_bwd
// CHECK: udiv i32 {{.*}}, 3
// CHECK: ret void
extern __shared__ __half pool[];
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void dynamic(const __half *w, const int *at, float *y, int n) {
  pool[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  if (I < n)
    y[I] = __half2float(pool[at[I]]);
}

// CHECK-LABEL: define {{.*}}own_bwd
// CHECK: alloca [5 x float]
// CPU: alloca [5 x float]
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void own(const __half *w, const int *at, float *y, int n, int m) {
  __half mine[5];
  for (int k = 0; k < 5; ++k)
    mine[k] = w[5 * I + k];
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += __half2float(mine[at[k]]);
  if (I < n)
    y[I] = sum;
}

// Sums over the threads that read one element, without atomic additions where the block is as declared.
// SAID: remark: derivative of 'product': gradients of shared memory: what {{[0-9]+}} loads give is summed over the threads
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]
__global__ void product(const __half *a, const __half *b, float *c, int n) {
  __shared__ __half left[16][16], right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int t = 0; t < 16; ++t)
      sum += __half2float(left[threadIdx.y][t]) * __half2float(right[t][threadIdx.x]);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 16 KB and 32 KB are what a kernel may declare.
// GLOBALS-DAG: @kernix_shadow.{{.*}} = {{.*}}[8192 x float] undef
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void fits(const __half *w, float *y) {
  __shared__ __half tile[8192];
  tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  y[I] = __half2float(tile[threadIdx.x ^ 1]);
}

// GLOBALS-DAG: @kernix_shadow.{{.*}} = {{.*}}[8194 x %struct.__half] undef
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void large(const __half *w, float *y) {
  __shared__ __half tile[8194];
  tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  // SAID: FloatShadows.cu:[[#@LINE+1]]:{{[0-9]+}}: remark: derivative of 'large': adjoints of 'tile' are summed in 16 bits, not in float: a kernel may declare no more than 49152 bytes of shared memory [-Rpass=kernix]
  y[I] = __half2float(tile[threadIdx.x ^ 1]);
}

// A derivative that the source has written is given an array of the same type.
__device__ float total(const __half *v, int n);
[[kernix::backward_derivative_of(total)]]
__device__ void total_backward(const __half *v, __half *gradient, int n, float g) {
  for (int k = 0; k < n; ++k)
    gradient[k] = __hadd(gradient[k], __float2half(g));
}
__device__ float total(const __half *v, int n) { return __half2float(v[0]) * __half2float(v[n]); }

// CHECK-LABEL: define {{.*}}given_bwd
// CHECK: alloca [5 x %struct.__half]
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void given(const __half *w, const int *at, float *y, int n) {
  __half mine[5];
  for (int k = 0; k < 5; ++k)
    mine[k] = w[5 * I + k];
  // SAID: FloatShadows.cu:[[#@LINE+1]]:{{[0-9]+}}: remark: derivative of 'given': adjoints of an array are summed in 16 bits, not in float: its address is given to a function that has a derivative of its own [-Rpass=kernix]
  y[I] = __half2float(mine[at[I]]) + total(mine, n);
}
