// kernix/cpu/nvToolsExt.h - refused.
#error "kernix: <nvToolsExt.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
