// kernix/cpu/surface_functions.h - refused.
#error "kernix: <surface_functions.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
