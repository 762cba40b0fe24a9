// kernix/cpu/cuda.h - refused.
#error "kernix: <cuda.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
