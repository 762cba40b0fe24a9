// kernix/cpu/thrust/execution_policy.h - refused.
#error "kernix: <thrust/execution_policy.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
