// kernix/cpu/thrust/copy.h - refused.
#error "kernix: <thrust/copy.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
