// kernix/cpu/cub/block/block_exchange.cuh - refused.
#error "kernix: <cub/block/block_exchange.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
