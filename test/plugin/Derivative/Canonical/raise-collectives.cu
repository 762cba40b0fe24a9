// Barriers, shuffles and votes have one name on both targets, and find their way back.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise' -S | FileCheck %s --check-prefixes=RAISED
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise' -S | FileCheck %s --check-prefixes=RAISED
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,kernix-lower,verify' -S | FileCheck %s --check-prefixes=CUDA
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise,kernix-lower,verify' -S | FileCheck %s --check-prefixes=CPU

#include <cuda_fp16.h>

#define F extern "C" __device__

// RAISED-LABEL: define {{.*}}@positive_barriers(
// RAISED: call void @kernix.barrier()
// RAISED: call i32 @kernix.barrier_count(i32
// CUDA-LABEL: define {{.*}}@positive_barriers(
// CUDA: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CUDA: call {{.*}}@_ZL19__syncthreads_counti(i32
// CPU-LABEL: define {{.*}}@positive_barriers(
// CPU: call void @kernix_cpu_barrier()
// CPU: call {{.*}}@_Z19__syncthreads_counti(i32
F int positive_barriers(int x) {
  __syncthreads();
  return __syncthreads_count(x);
}

// RAISED-LABEL: define {{.*}}@positive_shuffles(
// RAISED: call {{.*}}float @kernix.shfl.down.f32(i32 -1, float {{.*}}, i32 2, i32 16)
// RAISED: call {{.*}}double @kernix.shfl.bfly.f64(i32 -1, double {{.*}}, i32 1, i32 32)
// RAISED: call {{.*}}half @kernix.shfl.idx.f16(i32 -1, half {{.*}}, i32 3, i32 32)
// CUDA-LABEL: define {{.*}}@positive_shuffles(
// CUDA: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 {{.*}}, i32 2, i32 4127)
// CUDA: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 {{.*}}, i32 1, i32 31)
// CUDA: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 {{.*}}, i32 1, i32 31)
// CUDA: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 {{.*}}, i32 3, i32 31)
// CPU-LABEL: define {{.*}}@positive_shuffles(
// CPU: call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 {{.*}}, i32 {{.*}})
// CPU: call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 {{.*}}, i32 {{.*}})
// CPU: call i64 @kernix_cpu_warp_shuffle(i32 -1, i64 {{.*}}, i32 {{.*}})
F void positive_shuffles(float *f, double *d, __half *h) {
  f[0] = __shfl_down_sync(~0u, f[0], 2, 16);
  d[0] = __shfl_xor_sync(~0u, d[0], 1);
  h[0] = __shfl_sync(~0u, h[0], 3);
}

// RAISED-LABEL: define {{.*}}@positive_votes(
// RAISED: call i32 @kernix.ballot(i32 -1, i32
// RAISED: call i32 @kernix.any(i32 -1, i32
// RAISED: call void @kernix.syncwarp(i32 -1)
// RAISED: call i32 @kernix.reduce_smax(i32 -1, i32
// CUDA-LABEL: define {{.*}}@positive_votes(
// CUDA-NOT: kernix.
// CUDA: ret
// CPU-LABEL: define {{.*}}@positive_votes(
// CPU-NOT: kernix.
// CPU: ret
F unsigned positive_votes(int x) {
  unsigned lanes = __ballot_sync(~0u, x);
  lanes += __any_sync(~0u, x);
  __syncwarp();
  return lanes + __reduce_max_sync(~0u, x);
}

// Matches of other numbers than int, in the functions that make them.
// RAISED-DAG: call i32 @kernix.match_any(i32 {{.*}}, i32
// RAISED-DAG: call i32 @kernix.match_any64(i32 {{.*}}, i64
// CUDA-LABEL: define {{.*}}@positive_matches(
// CUDA-NOT: kernix.
// CUDA: ret
// CPU-LABEL: define {{.*}}@positive_matches(
// CPU-NOT: kernix.
// CPU: ret
F unsigned positive_matches(int x, long long y, float z) {
  int all, all64;
  unsigned lanes = __match_any_sync(~0u, x) + __match_any_sync(~0u, y) + __match_any_sync(~0u, z);
  lanes += __match_all_sync(~0u, x, &all) + __match_all_sync(~0u, y, &all64);
  return lanes + all + all64;
}

// RAISED-LABEL: define {{.*}}@positive_geometry(
// RAISED-DAG: call i32 @kernix.thread_idx.x()
// RAISED-DAG: call i32 @kernix.block_idx.y()
// RAISED-DAG: call i32 @kernix.block_dim.z()
// RAISED-DAG: call i32 @kernix.grid_dim.x()
// RAISED: ret
// CUDA-LABEL: define {{.*}}@positive_geometry(
// CUDA-DAG: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CUDA-DAG: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
// CUDA: ret
// CPU-LABEL: define {{.*}}@positive_geometry(
// CPU-DAG: call i32 @kernix_cpu_thread_idx_x()
// CPU-DAG: call i32 @kernix_cpu_block_idx_y()
// CPU: ret
F int positive_geometry() { return threadIdx.x + blockIdx.y * blockDim.z + gridDim.x; }

// RAISED-DAG: declare range(i32 0, 1024) i32 @kernix.thread_idx.x()
// RAISED-DAG: declare void @kernix.barrier() [[SYNC:#[0-9]+]]
// RAISED-DAG: attributes [[SYNC]] = { convergent nocallback nofree nounwind }
