// runtime/src/cuda/device.cpp

#include "cuda/device.h"
#include "cuda/driver.h"

namespace kernix::cuda {

int32_t compute_capability(int32_t device) {
  constexpr int major_attribute = 75, minor_attribute = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  const Driver driver(Driver::Load::IfMissing);
  const auto init = driver.find<int (*)(unsigned flags)>("cuInit");
  const auto get_device = driver.find<int (*)(int *handle, int index)>("cuDeviceGet");
  const auto get_attribute = driver.find<int (*)(int *value, int attribute, int handle)>("cuDeviceGetAttribute");
  int handle = 0, major = 0, minor = 0;
  if (!init || !get_device || !get_attribute || init(0) || get_device(&handle, device) ||
      get_attribute(&major, major_attribute, handle) || get_attribute(&minor, minor_attribute, handle))
    return 0;
  return 10 * major + minor;
}

} // namespace kernix::cuda
