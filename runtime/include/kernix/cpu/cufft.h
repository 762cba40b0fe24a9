// kernix/cpu/cufft.h - refused.
#error "kernix: <cufft.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
