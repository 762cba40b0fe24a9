// kernix/cpu/thrust/version.h - refused.
#error "kernix: <thrust/version.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
