// kernix/cpu/thrust/for_each.h - refused.
#error "kernix: <thrust/for_each.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
