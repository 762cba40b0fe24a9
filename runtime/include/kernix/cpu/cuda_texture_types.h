// kernix/cpu/cuda_texture_types.h - refused.
#error "kernix: <cuda_texture_types.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
