// kernix/cpu/thrust/reduce.h - refused.
#error "kernix: <thrust/reduce.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
