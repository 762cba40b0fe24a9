// runtime/src/core/view_hooks.cpp - scratch memory of views, and their after().

#include "core/view_hooks.h"

#include "core/call_user.h"

namespace kernix::core {

ViewHooks::~ViewHooks() {
  for (void *data : own_)
    frame_.function().cuda->free_async(data, stream_);
}

int ViewHooks::prepare(const LaunchSizes &sizes) {
  int64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis)
    threads *= sizes.grid[axis] * sizes.block[axis];
  for (int32_t i = 0; i < frame_.function().num_parameters; ++i) {
    const kernix_parameter &parameter = frame_.parameter(i);
    if (!parameter.view_hooks || !parameter.view_hooks->scratch_size)
      continue;
    char *const object = static_cast<char *>(frame_.argument(i).object);
    auto *const scratch = reinterpret_cast<kernix_view_scratch *>(object + parameter.size) - 1;
    size_t bytes = 0, zeroed = 0;
    if (int status =
            call_user(frame_.function(), [&] { bytes = parameter.view_hooks->scratch_size(object, threads, &zeroed); });
        status != KERNIX_OK)
      return status;
    scratch->threads = threads;
    if (bytes == 0)
      continue;
    if (int status = provide(i, scratch, bytes, zeroed < bytes ? zeroed : bytes); status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

int ViewHooks::provide(int32_t index, kernix_view_scratch *scratch, size_t bytes, size_t zeroed) {
  const auto fail = [&](const char *what) {
    return frame_.fail(KERNIX_ERROR_MEMORY, std::string("the ") + std::to_string(bytes) +
                                                " bytes of scratch memory for the gradient of '" +
                                                frame_.parameter(index).name + "' could not be " + what);
  };
  if (int status = allocate(bytes, &scratch->data); status != KERNIX_OK)
    return status;
  if (!scratch->data)
    return fail("allocated");
  if (zeroed != 0 && frame_.function().cuda->memset_async(scratch->data, 0, zeroed, stream_) != 0) {
    take_last_error(frame_.function());
    return fail("set to zero");
  }
  return KERNIX_OK;
}

/// From the caller's framework, whose memory a device is full of; else from CUDA. Null where there is none.
int ViewHooks::allocate(size_t bytes, void **data) {
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

int ViewHooks::after() {
  for (int32_t i = 0; i < frame_.function().num_parameters; ++i) {
    const kernix_view_hooks *hooks = frame_.parameter(i).view_hooks;
    // Where nobody wants the gradient there is nothing to bring together.
    if (!hooks || !hooks->after || !static_cast<kernix_tensor_view *>(frame_.argument(i).object)[1].data)
      continue;
    if (int status = call_user(frame_.function(), [&] { hooks->after(frame_.argument(i).object, stream_); });
        status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

} // namespace kernix::core
