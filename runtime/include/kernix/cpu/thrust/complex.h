// kernix/cpu/thrust/complex.h - refused.
#error "kernix: <thrust/complex.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
