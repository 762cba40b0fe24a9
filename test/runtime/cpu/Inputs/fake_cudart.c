// Stands for the real CUDA runtime: whoever calls it has bound to the wrong library.
void abort(void);
#define FAKE(name)                                                                                                     \
  int name(void) { abort(); }
FAKE(cudaLaunchKernel)
FAKE(__cudaPushCallConfiguration)
FAKE(__cudaPopCallConfiguration)
FAKE(cudaMalloc)
FAKE(cudaFree)
FAKE(cudaGetLastError)
FAKE(cudaGetErrorString)
