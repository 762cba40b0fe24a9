// kernix/cpu/cub/warp/warp_scan.cuh - refused.
#error "kernix: <cub/warp/warp_scan.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
