// runtime/src/cuda/device.h - what the runtime asks of CUDA devices before anything runs on them.

#ifndef KERNIX_CUDA_DEVICE_H
#define KERNIX_CUDA_DEVICE_H

#include <cstdint>

namespace kernix::cuda {

/// 10 * major + minor of a device; 0: there is no driver, or it does not know the device. Starts the driver.
int32_t compute_capability(int32_t device);

} // namespace kernix::cuda

#endif // KERNIX_CUDA_DEVICE_H
