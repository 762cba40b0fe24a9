// kernix/cpu/curand.h - refused.
#error "kernix: <curand.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
