// kernix/cpu/texture_types.h - refused.
#error "kernix: <texture_types.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
