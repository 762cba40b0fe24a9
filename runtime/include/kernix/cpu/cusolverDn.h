// kernix/cpu/cusolverDn.h - refused.
#error "kernix: <cusolverDn.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
