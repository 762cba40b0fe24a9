// kernix/cpu/cub/util_type.cuh - refused.
#error "kernix: <cub/util_type.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
