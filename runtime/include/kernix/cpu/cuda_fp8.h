// kernix/cpu/cuda_fp8.h - refused.
#error "kernix: <cuda_fp8.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
