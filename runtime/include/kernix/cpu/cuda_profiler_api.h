// kernix/cpu/cuda_profiler_api.h - refused.
#error "kernix: <cuda_profiler_api.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
