// kernix/cpu/cub/block/block_reduce.cuh - refused.
#error "kernix: <cub/block/block_reduce.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
