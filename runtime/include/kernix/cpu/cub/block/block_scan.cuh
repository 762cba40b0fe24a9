// kernix/cpu/cub/block/block_scan.cuh - refused.
#error "kernix: <cub/block/block_scan.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
