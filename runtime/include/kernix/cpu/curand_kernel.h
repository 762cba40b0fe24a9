// kernix/cpu/curand_kernel.h - refused.
#error "kernix: <curand_kernel.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
