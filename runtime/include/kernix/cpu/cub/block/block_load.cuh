// kernix/cpu/cub/block/block_load.cuh - refused.
#error "kernix: <cub/block/block_load.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
