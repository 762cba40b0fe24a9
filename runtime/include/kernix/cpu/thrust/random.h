// kernix/cpu/thrust/random.h - refused.
#error "kernix: <thrust/random.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
