// kernix/cpu/thrust/functional.h - refused.
#error "kernix: <thrust/functional.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
