// kernix/cpu/mma.h - refused.
#error "kernix: <mma.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
