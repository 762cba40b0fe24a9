// kernix/cpu/cub/cub.cuh - refused.
#error "kernix: <cub/cub.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
