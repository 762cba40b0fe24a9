// kernix/cpu/thrust/transform.h - refused.
#error "kernix: <thrust/transform.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
