// kernix/cpu/thrust/pair.h - refused.
#error "kernix: <thrust/pair.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
