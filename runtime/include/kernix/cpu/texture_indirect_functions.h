// kernix/cpu/texture_indirect_functions.h - refused.
#error "kernix: <texture_indirect_functions.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
