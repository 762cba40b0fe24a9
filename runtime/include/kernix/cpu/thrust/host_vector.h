// kernix/cpu/thrust/host_vector.h - refused.
#error "kernix: <thrust/host_vector.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
