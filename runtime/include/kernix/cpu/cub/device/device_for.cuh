// kernix/cpu/cub/device/device_for.cuh - refused.
#error "kernix: <cub/device/device_for.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
