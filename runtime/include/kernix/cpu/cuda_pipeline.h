// kernix/cpu/cuda_pipeline.h - refused.
#error "kernix: <cuda_pipeline.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
