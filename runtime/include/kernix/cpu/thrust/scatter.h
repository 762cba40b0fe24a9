// kernix/cpu/thrust/scatter.h - refused.
#error "kernix: <thrust/scatter.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
