// kernix/cpu/cublas_v2.h - refused.
#error "kernix: <cublas_v2.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
