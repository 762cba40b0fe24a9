// kernix/cpu/thrust/fill.h - refused.
#error "kernix: <thrust/fill.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
