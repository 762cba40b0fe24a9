// kernix/cpu/cublasLt.h - refused.
#error "kernix: <cublasLt.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
