// RUN: ! %cpu-cc %t -ferror-limit=0 %s 2> %t.err
// RUN: FileCheck --input-file %t.err %s
// RUN: ! %cpu-cc %t -DPTX %s 2> %t.ptx
// RUN: FileCheck --check-prefix PTX --input-file %t.ptx %s
//
// What has no CPU target is refused where it is used, with the reason.
#ifndef PTX
#include <cooperative_groups.h>

__managed__ int managed;

__global__ void refused(int *out) {
  cooperative_groups::this_grid().sync();
  // CHECK: refusals.cu:[[@LINE-1]]:35: error: 'sync' is unavailable: kernix: the CPU target cannot wait for the whole
  // grid
  *out = managed;
  // CHECK: refusals.cu:[[@LINE-1]]:10: error: 'managed' is unavailable: kernix: __managed__ variables have no CPU
  // target
  cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
  // CHECK: error: static assertion failed {{.*}}: kernix: the CPU target has tiles of 1, 2, 4, 8, 16 or 32 threads
}

__global__ void fetches(cudaTextureObject_t texture, float *out) {
  // CHECK: refusals.cu:[[@LINE-1]]:25: error: 'cudaTextureObject_t' is unavailable: kernix: textures and surfaces have
  // no CPU target; read the array itself
  *out = tex2D<float>(texture, 1.0f, 2.0f);
  // CHECK: refusals.cu:[[@LINE-1]]:10: error: 'tex2D<float, {{.*}}>' is unavailable: kernix: textures
}
__global__ void spaces(float *out, size_t *address) {
  *address = __cvta_generic_to_shared(out);
  // CHECK: refusals.cu:[[@LINE-1]]:14: error: {{.*}} is unavailable: kernix: addresses on the CPU are of one kind
  *out = __isShared(out);
  // CHECK: refusals.cu:[[@LINE-1]]:10: error: {{.*}} is unavailable: kernix: addresses on the CPU are of one kind
  *out = __shfl_down(*out, 1);
  // CHECK: refusals.cu:[[@LINE-1]]:10: error: {{.*}} is unavailable: kernix: warp functions take a mask
  *out = __ballot(1);
  // CHECK: refusals.cu:[[@LINE-1]]:10: error: {{.*}} is unavailable: kernix: warp functions take a mask: __ballot_sync
  __barrier_sync(1);
  // CHECK: refusals.cu:[[@LINE-1]]:3: error: {{.*}} is unavailable: kernix: the CPU target has one barrier
  __cluster_barrier_arrive();
  // CHECK: refusals.cu:[[@LINE-1]]:3: error: {{.*}} is unavailable: kernix: clusters have no CPU target
}
void calls(void **args) {
  cudaLaunchCooperativeKernel(refused, 1, 1, args);
  // CHECK: refusals.cu:[[@LINE-1]]:3: error: {{.*}} is unavailable: kernix: the CPU target cannot wait for the whole
  cudaGraph_t graph;
  // CHECK: refusals.cu:[[@LINE-1]]:3: error: 'cudaGraph_t' is unavailable: kernix: graphs have no CPU target
  cudaMemcpy3D(args);
  // CHECK: refusals.cu:[[@LINE-1]]:3: error: {{.*}} is unavailable: kernix: copies of three dimensions have no CPU
}

#include <cub/cub.cuh>
// CHECK: cub/cub.cuh:2:2: error: "kernix: <cub/cub.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <thrust/device_vector.h>
// CHECK: error: "kernix: <thrust/device_vector.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <mma.h>
// CHECK: error: "kernix: <mma.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <curand_kernel.h>
// CHECK: error: "kernix: <curand_kernel.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <cuda/barrier>
// CHECK: error: "kernix: <cuda/barrier> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <cuda/pipeline>
// CHECK: error: "kernix: <cuda/pipeline> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#include <cuda_fp8.h>
// CHECK: error: "kernix: <cuda_fp8.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
#else
__global__ void ptx(int *out) {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  // PTX: refusals.cu:[[@LINE-1]]:{{.*}} error:
  *out = lane;
}
#endif
