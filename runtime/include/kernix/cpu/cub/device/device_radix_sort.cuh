// kernix/cpu/cub/device/device_radix_sort.cuh - refused.
#error "kernix: <cub/device/device_radix_sort.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
