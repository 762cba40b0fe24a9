// kernix/cpu/nvrtc.h - refused.
#error "kernix: <nvrtc.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
