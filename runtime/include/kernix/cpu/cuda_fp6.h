// kernix/cpu/cuda_fp6.h - refused.
#error "kernix: <cuda_fp6.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
