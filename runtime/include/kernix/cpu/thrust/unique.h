// kernix/cpu/thrust/unique.h - refused.
#error "kernix: <thrust/unique.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
