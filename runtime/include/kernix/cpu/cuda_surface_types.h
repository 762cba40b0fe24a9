// kernix/cpu/cuda_surface_types.h - refused.
#error "kernix: <cuda_surface_types.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
