// kernix/cpu/surface_types.h - refused.
#error "kernix: <surface_types.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
