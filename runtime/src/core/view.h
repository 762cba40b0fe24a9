// runtime/src/core/view.h - the C++ objects that contiguous tensors are passed as.

#ifndef KERNIX_CORE_VIEW_H
#define KERNIX_CORE_VIEW_H

#include "kernix/abi.h"

#include <cstring>

namespace kernix::core {

/// Of a kernix_tensor_view or a kernix_tensor: memory, sizes and row-major strides. The rest becomes zero.
template <class View> void fill_row_major(View &view, void *data, const int64_t *shape, int32_t ndim) {
  std::memset(&view, 0, sizeof view);
  view.data = data;
  view.ndim = ndim;
  int64_t next = 1;
  for (int32_t d = ndim - 1; d >= 0; --d) {
    view.shape[d] = shape[d];
    view.strides[d] = next;
    next *= shape[d];
  }
}

} // namespace kernix::core

#endif // KERNIX_CORE_VIEW_H
