// runtime/src/core/call_memory.cpp - scratch memory for the time of one call.

#include "core/call_memory.h"

#include "core/call_user.h"

namespace kernix::core {

CallMemory::~CallMemory() {
  for (void *data : own_)
    frame_.function().cuda->free_async(data, stream_);
}

int CallMemory::allocate(int32_t index, size_t bytes, size_t zeroed, void **data) {
  const auto fail = [&](const char *what) {
    return frame_.fail(KERNIX_ERROR_MEMORY, std::string("the ") + std::to_string(bytes) +
                                                " bytes of scratch memory for the gradient of '" +
                                                frame_.parameter(index).name + "' could not be " + what);
  };
  *data = nullptr;
  if (int status = ask(bytes, data); status != KERNIX_OK)
    return status;
  if (!*data)
    return fail("allocated");
  if (zeroed != 0 && frame_.function().cuda->memset_async(*data, 0, zeroed, stream_) != 0) {
    take_last_error(frame_.function());
    return fail("set to zero");
  }
  return KERNIX_OK;
}

/// Null where there is none.
int CallMemory::ask(size_t bytes, void **data) {
  const kernix_call_options *options = frame_.options();
  const auto size = static_cast<int64_t>(bytes);
  if (size < 0)
    return KERNIX_OK;
  if (options && options->allocate) {
    kernix_dltensor tensor = {};
    const int32_t device = frame_.device_id() < 0 ? 0 : frame_.device_id();
    if (int status = options->allocate(options->allocate_context, -1, {KERNIX_UINT, 8, 1}, 1, &size,
                                       frame_.device_type(), device, /*zeroed=*/0, &tensor);
        status != KERNIX_OK)
      return status;
    if (int status = guard_.stay(frame_); status != KERNIX_OK)
      return status;
    if (tensor.data) {
      *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
      if (reinterpret_cast<uintptr_t>(*data) % 16 == 0)
        return KERNIX_OK;
    }
  }
  const kernix_cuda_api *cuda = frame_.function().cuda;
  if (cuda->malloc_async(data, bytes, stream_) != 0) {
    take_last_error(frame_.function());
    *data = nullptr;
    return KERNIX_OK;
  }
  own_.push_back(*data);
  return KERNIX_OK;
}

} // namespace kernix::core
