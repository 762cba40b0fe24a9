// kernix/cpu/thrust/gather.h - refused.
#error "kernix: <thrust/gather.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
