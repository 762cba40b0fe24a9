// kernix/cpu/cub/block/block_store.cuh - refused.
#error "kernix: <cub/block/block_store.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
