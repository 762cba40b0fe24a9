// kernix/cpu/thrust/inner_product.h - refused.
#error "kernix: <thrust/inner_product.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
