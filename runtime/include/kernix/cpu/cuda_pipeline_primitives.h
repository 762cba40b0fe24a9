// kernix/cpu/cuda_pipeline_primitives.h - refused.
#error "kernix: <cuda_pipeline_primitives.h> has no CPU target; guard it with #ifndef __KERNIX_CPU__"
