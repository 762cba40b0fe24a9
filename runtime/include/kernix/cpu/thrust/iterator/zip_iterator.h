// kernix/cpu/thrust/iterator/zip_iterator.h - refused.
#error "kernix: <thrust/iterator/zip_iterator.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
