// runtime/src/selector/defaults.cpp
//
// The operations are those of networks; kernix has no kernels for them itself. Tensor cores know float16 from compute
// capability 7.0 on and bfloat16 from 8.0; a CPU has none.

#include "selector/defaults.h"
#include "cuda/device.h"
#include "selector/selector.h"

#include <limits>

namespace kernix::selector {

namespace {

constexpr int32_t first_with_float16 = 70, first_with_bfloat16 = 80;

int32_t compute_capability_of(kernix_device device) {
  if (device.type != KERNIX_CUDA)
    return 0;
  const int32_t found = cuda::compute_capability(device.index);
  return found ? found : std::numeric_limits<int32_t>::max();
}

template <class Register>
void each_default(kernix_device device, int32_t compute_capability, Register &&register_capability) {
  const auto add = [&](const char *operation, int32_t dtype, int32_t first_with_tensor_cores) {
    const bool has_tensor_cores = device.type == KERNIX_CUDA && compute_capability >= first_with_tensor_cores;
    register_capability(operation, {dtype, 1, has_tensor_cores, 1.0f, 1.0f});
  };
  const auto add_float32 = [&](const char *operation) {
    register_capability(operation, {KERNIX_KERNEL_FLOAT32, 1, 0, 1.0f, 1.0f});
  };
  add_float32("conv2d");
  add("conv2d_fp16", KERNIX_KERNEL_FLOAT16, first_with_float16);
  add("conv2d_bf16", KERNIX_KERNEL_BFLOAT16, first_with_bfloat16);
  add_float32("matmul");
  add("matmul_fp16", KERNIX_KERNEL_FLOAT16, first_with_float16);
  add("matmul_bf16", KERNIX_KERNEL_BFLOAT16, first_with_bfloat16);
  for (const char *operation : {"relu", "gelu", "maxpool2d", "avgpool2d"})
    add_float32(operation);
}

} // namespace

void set_defaults(kernix_selector &selector) {
  each_default(
      selector.device(), compute_capability_of(selector.device()),
      [&](const char *operation, const kernix_capability &capability) { selector.set_default(operation, capability); });
}

void register_defaults(kernix_device device, kernix_selector &selector, int32_t compute_capability) {
  each_default(device, compute_capability ? compute_capability : compute_capability_of(device),
               [&](const char *operation, const kernix_capability &capability) {
                 selector.set_capability(operation, capability);
               });
}

} // namespace kernix::selector
