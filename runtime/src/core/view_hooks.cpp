// runtime/src/core/view_hooks.cpp - scratch memory of views, and their after().

#include "core/view_hooks.h"

#include "core/call_user.h"

#include <algorithm>

namespace kernix::core {

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
    if (int status = memory_.allocate(i, bytes, std::min(zeroed, bytes), &scratch->data); status != KERNIX_OK)
      return status;
  }
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
