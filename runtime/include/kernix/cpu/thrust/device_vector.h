// kernix/cpu/thrust/device_vector.h - refused.
#error "kernix: <thrust/device_vector.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
