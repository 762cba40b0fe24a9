// kernix/cpu/cub/device/device_run_length_encode.cuh - refused.
#error "kernix: <cub/device/device_run_length_encode.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
