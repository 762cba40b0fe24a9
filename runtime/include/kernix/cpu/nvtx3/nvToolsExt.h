// kernix/cpu/nvtx3/nvToolsExt.h - refused.
#error "kernix: <nvtx3/nvToolsExt.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
