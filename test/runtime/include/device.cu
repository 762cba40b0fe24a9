// test/runtime/include/device.cu - compile only: kernix.h in CUDA with the toolkit's headers, and on the CPU target.

#include "kernix/kernix.h"

#if defined(__KERNIX_CPU__)
using Small = short;
__device__ float to_float(Small value) { return value; }
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
using Small = __half;
__device__ float to_float(Small value) { return __half2float(value); }
#endif

__device__ float read(const kernix::TensorView<const float> &x, unsigned i) { return x(i, 0); }

__global__ void kernel(kernix::TensorView<const float4> x, kernix::TensorView<float> y,
                       kernix::TensorView<const Small> h, const kernix::Tensor t) {
  const uint3 i = kernix::global_index();
  if (i.x >= y.size(0))
    return;
  y(i.x, 0) = x[i.x].w + to_float(h[i.x]) + static_cast<float>(t.size(0)) + read(y, i.x);
}

void host(kernix::Stream stream, const kernix::Tensor t) {
  kernel<<<1, 2, 0, stream>>>(kernix::TensorView<const float4>::from_tensor(t),
                              kernix::TensorView<float>::from_tensor(t),
                              kernix::TensorView<const Small>::from_tensor(t), t);
  cudaStreamSynchronize(stream);
}
