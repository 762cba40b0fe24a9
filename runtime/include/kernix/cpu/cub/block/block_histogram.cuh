// kernix/cpu/cub/block/block_histogram.cuh - refused.
#error "kernix: <cub/block/block_histogram.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
