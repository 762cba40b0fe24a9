// kernix/cpu/thrust/swap.h - refused.
#error "kernix: <thrust/swap.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
