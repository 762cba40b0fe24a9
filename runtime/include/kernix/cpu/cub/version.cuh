// kernix/cpu/cub/version.cuh - refused.
#error "kernix: <cub/version.cuh> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
