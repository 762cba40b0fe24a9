// kernix/cpu/thrust/scan.h - refused.
#error "kernix: <thrust/scan.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
