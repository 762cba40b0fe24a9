// kernix/cpu/cuda_awbarrier_primitives.h - refused.
#error "kernix: <cuda_awbarrier_primitives.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
