// kernix/cpu/thrust/sort.h - refused.
#error "kernix: <thrust/sort.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
