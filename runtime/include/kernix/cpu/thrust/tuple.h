// kernix/cpu/thrust/tuple.h - refused.
#error "kernix: <thrust/tuple.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
