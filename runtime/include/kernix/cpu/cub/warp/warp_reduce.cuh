// kernix/cpu/cub/warp/warp_reduce.cuh - refused.
#error "kernix: <cub/warp/warp_reduce.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
