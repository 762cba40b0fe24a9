// What many threads give to one element of a tile is summed over them, where the source says how large the blocks are,
// and added by one of them without atomic operations. The version for other launches has these.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.txt --check-prefix=REMARK
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// A row of the one tile, a column of the other: 8 values over 16 lanes are eight exchanges and one addition; 8 over two
// are four, and the sums of the eight warps meet on the stage, where four warps add up one of them.
// REMARK: gradients of shared memory: what 16 loads give is summed over the threads that read one element, and added without atomic operations [-Rkernix]
// CHECK-LABEL: .entry _Z11product_bwd{{[^(]*}}(
// CHECK: .b8 kernix_stage{{[0-9]*}}[4096];
// CHECK-NOT: atom.shared
// CHECK-COUNT-12: shfl.sync.bfly
// CHECK-NOT: {{atom.shared|shfl}}
// CHECK: bar.sync 0;
// CHECK-NOT: {{atom.shared|shfl}}
// CHECK: bar.sync 0;
// CHECK-COUNT-16: atom.shared.add.f32
// CHECK-LABEL: .entry _Z11counted_bwd{{[^(]*}}(
#define PRODUCT                                                                                                        \
  __shared__ float as[16][16], bs[16][16];                                                                             \
  as[ty][tx] = a[ty * 16 + tx];                                                                                        \
  bs[ty][tx] = b[ty * 16 + tx];                                                                                        \
  __syncthreads();                                                                                                     \
  float sum = 0;                                                                                                       \
  for (int k = 0; k < 16; ++k)                                                                                         \
    sum += as[ty][k] * bs[k][tx];                                                                                      \
  c[ty * 16 + tx] = sum;

[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]
__global__ void product(const float *a, const float *b, float *c) {
  int tx = threadIdx.x, ty = threadIdx.y;
  PRODUCT
}

// Threads that are counted through the block; bits of their number in another order.
// REMARK: 'counted': gradients of shared memory: what 16 loads give is summed over the threads that read one element
// REMARK: 'shuffled': gradients of shared memory: what 16 loads give is summed over the threads that read one element
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void counted(const float *a, const float *b, float *c) {
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  PRODUCT
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void shuffled(const float *a, const float *b, float *c) {
  unsigned t = threadIdx.x;
  int tx = (t & 3) | (t >> 6) << 2, ty = ((t >> 2) & 15) ^ 9;
  PRODUCT
}

// Sums of one tile that belong to one element come one after the other.
// REMARK: 'twice': gradients of shared memory: what 16 loads give is summed over the threads that read one element, and added without atomic operations, in 2 rounds [-Rkernix]
[[kernix::bind, kernix::differentiable(backward), kernix::block(8, 8)]]
__global__ void twice(const float *a, float *c) {
  __shared__ float as[8][8];
  int tx = threadIdx.x, ty = threadIdx.y;
  as[ty][tx] = a[ty * 8 + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += as[ty][k] * as[k][tx];
  c[ty * 8 + tx] = sum;
}

// A block whose size nobody says; one that is no power of two; fewer loads than two barriers are worth; loads that all
// threads do not come to; elements that the threads of a window share in no order of rows and columns.
// REMARK-NOT: {{'(unsaid|odd|few|some|windows)'}}: gradients of shared memory: {{.*}} over the threads that read
// REMARK: 'loaded'
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void unsaid(const float *a, const float *b, float *c) {
  int tx = threadIdx.x, ty = threadIdx.y;
  PRODUCT
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 12)]]
__global__ void odd(const float *a, const float *b, float *c) {
  int tx = threadIdx.x, ty = threadIdx.y;
  PRODUCT
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]
__global__ void few(const float *a, float *c) {
  __shared__ float as[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  as[ty][tx] = a[ty * 16 + tx];
  __syncthreads();
  c[ty * 16 + tx] = as[ty][0] * as[ty][1] + as[ty][2];
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]
__global__ void some(const float *a, const float *b, float *c) {
  int tx = threadIdx.x, ty = threadIdx.y;
  if (a[0] > tx) {
    __shared__ float as[16][16];
    as[ty][tx] = a[ty * 16 + tx];
    float sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += as[ty][k] * as[ty][15 - k];
    c[ty * 16 + tx] = sum;
  }
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(8, 32)]]
__global__ void windows(const float *a, float *c) {
  __shared__ float as[40];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
  if (t < 40)
    as[t] = a[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += as[ty + k] * as[ty + k] * tx;
  c[t] = sum;
}

// Which element it is, the tile says: threads read the same, but nobody knows which.
// REMARK-NOT: 'loaded': gradients of shared memory: {{.*}} over the threads that read
[[kernix::bind, kernix::differentiable(backward), kernix::block(64)]]
__global__ void loaded(const float *a, [[kernix::no_diff]] const int *index, float *c) {
  __shared__ float as[64];
  int t = threadIdx.x;
  as[t] = a[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[index[t / 16] + k] * t;
  c[t] = sum;
}

// Beside dynamic shared memory, which may be all there is, warps are not summed over.
// REMARK: 'beside': gradients of shared memory: what 16 loads give is summed over the threads that read one element
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16), kernix::shared_bytes("2048")]]
__global__ void beside(const float *a, const float *b, float *c) {
  extern __shared__ float tiles[];
  float (*as)[16] = reinterpret_cast<float (*)[16]>(tiles), (*bs)[16] = as + 16;
  int tx = threadIdx.x, ty = threadIdx.y;
  as[ty][tx] = a[ty * 16 + tx];
  bs[ty][tx] = b[ty * 16 + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[ty][k] * bs[k][tx];
  c[ty * 16 + tx] = sum;
}
