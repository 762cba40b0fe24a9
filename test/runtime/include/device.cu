// test/runtime/include/device.cu - compile only: kernix.h in CUDA, both passes, with the toolkit's headers.

#include "kernix/kernix.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float read(const kernix::TensorView<const float> &x, unsigned i) { return x(i, 0); }

__global__ void kernel(kernix::TensorView<const float4> x, kernix::TensorView<float> y,
                       kernix::TensorView<const __half> h, const kernix::Tensor t) {
  const uint3 i = kernix::global_index();
  if (i.x >= y.size(0))
    return;
  y(i.x, 0) = x[i.x].w + __half2float(h[i.x]) + static_cast<float>(t.size(0)) + read(y, i.x);
}

void host(kernix::Stream stream, const kernix::Tensor t) {
  kernel<<<1, 2, 0, stream>>>(kernix::TensorView<const float4>::from_tensor(t), kernix::TensorView<float>::from_tensor(t),
                              kernix::TensorView<const __half>::from_tensor(t), t);
  cudaStreamSynchronize(stream);
}
