// kernix/cpu/thrust/transform_reduce.h - refused.
#error "kernix: <thrust/transform_reduce.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
