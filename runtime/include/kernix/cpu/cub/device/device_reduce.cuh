// kernix/cpu/cub/device/device_reduce.cuh - refused.
#error "kernix: <cub/device/device_reduce.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
