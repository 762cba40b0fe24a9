// kernix/cpu/cub/block/block_merge_sort.cuh - refused.
#error "kernix: <cub/block/block_merge_sort.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
