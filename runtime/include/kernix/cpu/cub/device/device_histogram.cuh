// kernix/cpu/cub/device/device_histogram.cuh - refused.
#error "kernix: <cub/device/device_histogram.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
