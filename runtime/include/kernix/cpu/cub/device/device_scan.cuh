// kernix/cpu/cub/device/device_scan.cuh - refused.
#error "kernix: <cub/device/device_scan.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
