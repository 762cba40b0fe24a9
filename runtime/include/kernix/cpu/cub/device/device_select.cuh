// kernix/cpu/cub/device/device_select.cuh - refused.
#error "kernix: <cub/device/device_select.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
