// kernix/cpu/cuda_fp4.h - refused.
#error "kernix: <cuda_fp4.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
