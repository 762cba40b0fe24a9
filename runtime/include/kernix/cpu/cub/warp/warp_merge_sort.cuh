// kernix/cpu/cub/warp/warp_merge_sort.cuh - refused.
#error "kernix: <cub/warp/warp_merge_sort.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
