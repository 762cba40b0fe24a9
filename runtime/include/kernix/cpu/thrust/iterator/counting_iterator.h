// kernix/cpu/thrust/iterator/counting_iterator.h - refused.
#error "kernix: <thrust/iterator/counting_iterator.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
