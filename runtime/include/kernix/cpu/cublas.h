// kernix/cpu/cublas.h - refused.
#error "kernix: <cublas.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
