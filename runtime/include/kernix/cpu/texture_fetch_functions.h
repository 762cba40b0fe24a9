// kernix/cpu/texture_fetch_functions.h - refused.
#error "kernix: <texture_fetch_functions.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
