// kernix/cpu/unavailable.h - what CUDA's own runtime header declares and the CPU target does not have.
//
// Declared so that a use is refused with the reason instead of as an unknown name. Nothing here can be called.
#ifndef KERNIX_CPU_UNAVAILABLE_H
#define KERNIX_CPU_UNAVAILABLE_H

#define KERNIX_CPU_NO(what) __attribute__((unavailable("kernix: " what)))
#define KERNIX_CPU_NO_TYPE(name, what) typedef unsigned long long name KERNIX_CPU_NO(what);
#define KERNIX_CPU_NO_CALL(name, what)                                                                                 \
  template <class... Arguments> __attribute__((host, device)) int name(Arguments &&...) KERNIX_CPU_NO(what);
#define KERNIX_CPU_NO_FETCH(name, what)                                                                                \
  template <class Texel = int, class... Arguments>                                                                     \
  __attribute__((device)) Texel name(Arguments &&...) KERNIX_CPU_NO(what);

#define KERNIX_CPU_TEXTURES "textures and surfaces have no CPU target; read the array itself"
KERNIX_CPU_NO_TYPE(cudaTextureObject_t, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_TYPE(cudaSurfaceObject_t, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_TYPE(cudaArray_t, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_TYPE(cudaMipmappedArray_t, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_CALL(cudaCreateTextureObject, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_CALL(cudaCreateSurfaceObject, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_CALL(cudaMallocArray, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_CALL(cudaMalloc3DArray, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(tex1D, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(tex1Dfetch, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(tex2D, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(tex2DLayered, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(tex3D, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(surf1Dread, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(surf2Dread, KERNIX_CPU_TEXTURES)
KERNIX_CPU_NO_FETCH(surf2Dwrite, KERNIX_CPU_TEXTURES)
#undef KERNIX_CPU_TEXTURES

#define KERNIX_CPU_GRAPHS "graphs have no CPU target: a CPU launch has run when the call returns"
KERNIX_CPU_NO_TYPE(cudaGraph_t, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_TYPE(cudaGraphExec_t, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_TYPE(cudaGraphNode_t, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_CALL(cudaStreamBeginCapture, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_CALL(cudaStreamEndCapture, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_CALL(cudaGraphCreate, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_CALL(cudaGraphInstantiate, KERNIX_CPU_GRAPHS)
KERNIX_CPU_NO_CALL(cudaGraphLaunch, KERNIX_CPU_GRAPHS)
#undef KERNIX_CPU_GRAPHS

KERNIX_CPU_NO_CALL(cudaLaunchCooperativeKernel,
                   "the CPU target cannot wait for the whole grid; split the kernel in two")
KERNIX_CPU_NO_CALL(cudaLaunchKernelEx, "clusters and launch attributes have no CPU target; use <<<...>>>")
KERNIX_CPU_NO_CALL(cudaLaunchKernelExC, "clusters and launch attributes have no CPU target; use <<<...>>>")
KERNIX_CPU_NO_TYPE(cudaLaunchConfig_t, "clusters and launch attributes have no CPU target; use <<<...>>>")
#define KERNIX_CPU_PITCHED "copies of three dimensions have no CPU target; copy slice by slice with cudaMemcpy2D"
KERNIX_CPU_NO_TYPE(cudaMemcpy3DParms, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_TYPE(cudaPitchedPtr, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_TYPE(cudaExtent, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(make_cudaExtent, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(make_cudaPitchedPtr, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(cudaMalloc3D, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(cudaMemcpy3D, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(cudaMemcpy3DAsync, KERNIX_CPU_PITCHED)
KERNIX_CPU_NO_CALL(cudaMemset3D, KERNIX_CPU_PITCHED)
#undef KERNIX_CPU_PITCHED

// Of the device.
#define KERNIX_CPU_SPACES "addresses on the CPU are of one kind: there is no shared or constant address space"
KERNIX_CPU_NO_CALL(__isGlobal, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isShared, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isConstant, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isLocal, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isGridConstant, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isClusterShared, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__isCtaShared, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_generic_to_global, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_generic_to_shared, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_generic_to_constant, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_generic_to_local, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_generic_to_grid_constant, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_global_to_generic, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_shared_to_generic, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_constant_to_generic, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_local_to_generic, KERNIX_CPU_SPACES)
KERNIX_CPU_NO_CALL(__cvta_grid_constant_to_generic, KERNIX_CPU_SPACES)
#undef KERNIX_CPU_SPACES
KERNIX_CPU_NO_CALL(__shfl, "warp functions take a mask: __shfl_sync")
KERNIX_CPU_NO_CALL(__shfl_up, "warp functions take a mask: __shfl_up_sync")
KERNIX_CPU_NO_CALL(__shfl_down, "warp functions take a mask: __shfl_down_sync")
KERNIX_CPU_NO_CALL(__shfl_xor, "warp functions take a mask: __shfl_xor_sync")
KERNIX_CPU_NO_CALL(__any, "warp functions take a mask: __any_sync")
KERNIX_CPU_NO_CALL(__all, "warp functions take a mask: __all_sync")
KERNIX_CPU_NO_CALL(__ballot, "warp functions take a mask: __ballot_sync")
KERNIX_CPU_NO_CALL(__barrier_sync, "the CPU target has one barrier for each block: __syncthreads")
KERNIX_CPU_NO_CALL(__barrier_sync_count, "the CPU target has one barrier for each block: __syncthreads")
#define KERNIX_CPU_CLUSTERS "clusters have no CPU target"
KERNIX_CPU_NO_CALL(__cluster_barrier_arrive, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__cluster_barrier_arrive_relaxed, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__cluster_barrier_wait, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__cluster_map_shared_rank, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__cluster_query_shared_rank, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterDim, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterIdx, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterDimIsSpecified, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterGridDimInClusters, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterRelativeBlockIdx, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterRelativeBlockRank, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__clusterSizeInBlocks, KERNIX_CPU_CLUSTERS)
KERNIX_CPU_NO_CALL(__threadfence_cluster, KERNIX_CPU_CLUSTERS)
#undef KERNIX_CPU_CLUSTERS
KERNIX_CPU_NO_CALL(__u128AtomicCAS, "atomics of 128 bits have no CPU target")
KERNIX_CPU_NO_CALL(__u128AtomicExch, "atomics of 128 bits have no CPU target")

#undef KERNIX_CPU_NO_FETCH
#undef KERNIX_CPU_NO_CALL
#undef KERNIX_CPU_NO_TYPE
#undef KERNIX_CPU_NO

#endif
