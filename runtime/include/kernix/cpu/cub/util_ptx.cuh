// kernix/cpu/cub/util_ptx.cuh - refused.
#error "kernix: <cub/util_ptx.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
