// How gradients are added to on a GPU.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// The launch is tested once; then a load, an addition and a store, or an atomic. A scalar is summed over the warp, the
// block, and added once per block.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scaled(const float *x, float *y, [[kernix::diff]] float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] * x[i];
}
// CHECK-LABEL: .entry _Z10scaled_bwd{{.*}}({{$}}
// CHECK: %nctaid.y
// CHECK-NOT: atom
// CHECK: st.global.b32
// CHECK-NOT: atom
// CHECK: shfl.sync.down
// CHECK: st.shared.b32
// CHECK: bar
// CHECK: ld.shared.b32
// CHECK: shfl.sync.down
// CHECK: atom.{{.*}}add.f32
// CHECK: ret;
// CHECK: atom.{{.*}}add.f32
// CHECK: st.global.b32
// CHECK: shfl.sync.down

// Neighbours read each other's elements: no test, no choice.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stencil(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    y[i] = x[i - 1] * x[i + 1];
}
// CHECK-LABEL: .entry _Z11stencil_bwd{{.*}}({{$}}
// CHECK-NOT: %nctaid.y
// CHECK-NOT: st.global
// CHECK: atom.{{.*}}add.f32
// CHECK: atom.{{.*}}add.f32
// CHECK: ret;

// All threads read one element at a time: the warp's sum, if the warp is all there and agrees on the address.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void weights(const float *x, const float *w, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += w[k] * x[i];
  y[i] = sum;
}
// CHECK-LABEL: .entry _Z11weights_bwd{{.*}}({{$}}
// CHECK: activemask.b32
// CHECK: match.all.sync.b64
// CHECK: shfl.sync.idx
// x[i] is the same in all iterations: one addition, after the loop.
// CHECK: st.global
// CHECK-NOT: st.global
// CHECK: ret;

// Four floats that lie beside each other, aligned.
struct alignas(16) Four {
  float x, y, z, w;
};
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void gather(const Four *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Four v = x[at[i]];
  y[i] = v.x * v.y + v.z * v.w;
}
// CHECK-LABEL: .entry _Z10gather_bwd{{.*}}({{$}}
// CHECK-NOT: atom
// CHECK: red.global.add.v4.f32
// CHECK-NOT: atom
// CHECK: ret;

// Two branches that read one element: one addition where they meet again.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void branches(const float *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int j = at[i];
  float sum = 0;
  if (j & 1)
    sum = 2 * x[j];
  else
    sum = 3 * x[j];
  y[i] = sum;
}
// CHECK-LABEL: .entry _Z12branches_bwd{{.*}}({{$}}
// CHECK: atom.{{.*}}add.f32
// CHECK-NOT: atom
// CHECK: ret;

// Shared memory of the kernel and its shadow leave no room for sums over the block.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void full(const float *x, float *y, [[kernix::diff]] float a, int n) {
  __shared__ float tile[6 * 1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n)
    y[i] = a * tile[blockDim.x - 1 - threadIdx.x];
}
// CHECK-LABEL: .entry _Z8full_bwd{{.*}}({{$}}
// CHECK-NOT: kernix_block_sums
// CHECK: activemask.b32
// CHECK-NOT: match
// CHECK: shfl.sync.idx
// CHECK-NOT: kernix_block_sums
// CHECK: ret;

// Rows of the block read one element: the warp adds once for each address that its lanes have.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, const int *k, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[threadIdx.y * n + i] = i * x[k[threadIdx.y]];
}
// CHECK-LABEL: .entry _Z8rows_bwd{{.*}}({{$}}
// CHECK: match.all.sync.b64
// CHECK: match.any.sync.b64
// CHECK: shfl.sync.idx
// CHECK: atom.{{.*}}add.f32
// CHECK: ret;

// The sum of what others have found: each thread gives the same to all parts, which the warp sums once. That the parts are
// written twice in an iteration, by the same threads, keeps nothing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void normed(const float *x, float *y, int rows, int step) {
  __shared__ float parts[4];
  for (int row = blockIdx.x; row < rows; row += step) {
    float v = x[row * 128 + threadIdx.x];
    for (int turn = 0; turn < 2; ++turn) {
      float sum = v * v;
      for (int by = 16; by; by /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, by);
      __syncthreads();
      if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
      __syncthreads();
      v /= parts[0] + parts[1] + parts[2] + parts[3];
    }
    y[row * 128 + threadIdx.x] = v;
  }
}
// CHECK-LABEL: .entry _Z10normed_bwd{{.*}}({{$}}
// CHECK-NOT: .local
// CHECK-NOT: match
// CHECK: shfl.sync.idx
// CHECK: atom.shared.add.f32
// CHECK-NEXT: atom.shared.add.f32
// CHECK: ret;

// A whole float4 is copied: its alignment is that of the type.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void copied(const float4 *x, const int *k, float4 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[k[i]];
}
// CHECK-LABEL: .entry _Z10copied_bwd{{.*}}({{$}}
// CHECK: red.global.add.v4.f32
// CHECK-NOT: red
// CHECK-NOT: atom
// CHECK: ret;

// Of several such places, whose distance nobody knows, each is added to in one operation.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void two_places(const float4 *x, const int *k, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 a = x[k[2 * i]], b = x[k[2 * i + 1]];
  y[i] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
// CHECK-LABEL: .entry _Z14two_places_bwd{{.*}}({{$}}
// CHECK: red.global.add.v4.f32
// CHECK: red.global.add.v4.f32
// CHECK-NOT: red
// CHECK-NOT: atom
// CHECK: ret;

// What is read ahead of a branch and asked for behind it alone: threads that go past the branch add nothing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void seldom(const float4 *x, const int *k, float *y, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[k[i]];
  float square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  if (square < limit)
    y[i] = 1 / square;
}
// CHECK-LABEL: .entry _Z10seldom_bwd{{.*}}({{$}}
// CHECK: setp.{{neu|equ|eq}}.f32
// CHECK: setp.{{neu|equ|eq}}.f32
// CHECK: setp.{{neu|equ|eq}}.f32
// CHECK: setp.{{neu|equ|eq}}.f32
// CHECK: bra
// CHECK: red.global.add.v4.f32
// CHECK-NOT: red
// CHECK-NOT: atom
// CHECK: ret;

// Asked for on every way: no question.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void always(const float4 *x, const int *k, float *y, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[k[i]];
  float square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  y[i] = square < limit ? 1 / square : square;
}
// CHECK-LABEL: .entry _Z10always_bwd{{.*}}({{$}}
// CHECK-NOT: setp.{{neu|equ|eq}}.f32
// CHECK: red.global.add.v4.f32
// CHECK-NOT: red
// CHECK-NOT: atom
// CHECK: ret;

// Three numbers of an element of four: nothing is added to the fourth. Numbers that lie so in a tensor of
// single ones may end there.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void three_of_four(const float4 *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[at[i]];
  y[i] = v.x * v.y * v.z;
}
// CHECK-LABEL: .entry _Z17three_of_four_bwd{{.*}}({{$}}
// CHECK-NOT: atom
// CHECK: mov.b32 [[NOTHING:%r[0-9]+]], -2147483648;
// CHECK: red.global.add.v4.f32 [{{.*}}], {{[{].*}}, [[NOTHING]]};
// CHECK-NOT: red.
// CHECK-NOT: atom
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void three_of_many(const float *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = reinterpret_cast<const float4 *>(x)[at[i]];
  y[i] = v.x * v.y * v.z;
}
// CHECK-LABEL: .entry _Z17three_of_many_bwd{{.*}}({{$}}
// CHECK: red.global.add.v2.f32
// CHECK-NOT: v4
// CHECK: ret;
