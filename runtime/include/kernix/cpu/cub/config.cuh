// kernix/cpu/cub/config.cuh - refused.
#error "kernix: <cub/config.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
