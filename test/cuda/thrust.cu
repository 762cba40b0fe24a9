// RUN: %cuda-check
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

struct Scale {
  float factor;
  __host__ __device__ float operator()(float x) const { return factor * x; }
};

void scale(float *x, int n, float factor, cudaStream_t stream) {
  thrust::transform(thrust::cuda::par.on(stream), thrust::device_pointer_cast(x), thrust::device_pointer_cast(x) + n,
                    thrust::device_pointer_cast(x), Scale{factor});
}
