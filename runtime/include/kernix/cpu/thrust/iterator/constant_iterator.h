// kernix/cpu/thrust/iterator/constant_iterator.h - refused.
#error "kernix: <thrust/iterator/constant_iterator.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
