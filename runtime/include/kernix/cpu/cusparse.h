// kernix/cpu/cusparse.h - refused.
#error "kernix: <cusparse.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
