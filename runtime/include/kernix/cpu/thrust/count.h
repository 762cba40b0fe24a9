// kernix/cpu/thrust/count.h - refused.
#error "kernix: <thrust/count.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
