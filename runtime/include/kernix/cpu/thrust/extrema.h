// kernix/cpu/thrust/extrema.h - refused.
#error "kernix: <thrust/extrema.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
