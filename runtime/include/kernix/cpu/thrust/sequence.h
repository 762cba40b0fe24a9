// kernix/cpu/thrust/sequence.h - refused.
#error "kernix: <thrust/sequence.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
