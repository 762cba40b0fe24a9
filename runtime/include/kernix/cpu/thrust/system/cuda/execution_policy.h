// kernix/cpu/thrust/system/cuda/execution_policy.h - refused.
#error "kernix: <thrust/system/cuda/execution_policy.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
