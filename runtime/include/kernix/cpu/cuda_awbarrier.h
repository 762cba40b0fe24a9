// kernix/cpu/cuda_awbarrier.h - refused.
#error "kernix: <cuda_awbarrier.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
