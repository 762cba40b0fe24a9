// kernix/cpu/thrust/iterator/transform_iterator.h - refused.
#error "kernix: <thrust/iterator/transform_iterator.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
