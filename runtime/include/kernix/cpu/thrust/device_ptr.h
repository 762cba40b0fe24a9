// kernix/cpu/thrust/device_ptr.h - refused.
#error "kernix: <thrust/device_ptr.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
