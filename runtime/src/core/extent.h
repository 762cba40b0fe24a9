// runtime/src/core/extent.h - the memory in which the elements of a tensor lie, whatever its strides.

#ifndef KERNIX_CORE_EXTENT_H
#define KERNIX_CORE_EXTENT_H

#include "kernix/abi.h"

#include <cstdint>

namespace kernix::core {

/// Elements, each of all its lanes, from the first one to those with the lowest and the highest address.
struct Reach {
  int64_t lowest = 0, highest = 0; ///< at most and at least 0
};

/// Of a tensor that has elements.
inline Reach reach_of(const kernix_dltensor &tensor) {
  Reach reach;
  int64_t step = 1; // of a tensor without strides
  for (int32_t d = tensor.ndim - 1; d >= 0; --d) {
    const int64_t way = (tensor.shape[d] - 1) * (tensor.strides ? tensor.strides[d] : step);
    (way < 0 ? reach.lowest : reach.highest) += way;
    step *= tensor.shape[d];
  }
  return reach;
}

struct Extent {
  uintptr_t begin, end; ///< bytes
};

/// From the first byte of any element to behind the last; of a tensor without elements, nothing.
inline Extent extent_of(const kernix_dltensor &tensor) {
  const uintptr_t start = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] == 0)
      return {start, start};
  const int64_t size = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  const Reach reach = reach_of(tensor);
  return {start + static_cast<uintptr_t>(reach.lowest * size),
          start + static_cast<uintptr_t>((reach.highest + 1) * size)};
}

inline bool overlap(const Extent &a, const Extent &b) { return a.begin < b.end && b.begin < a.end; }

} // namespace kernix::core

#endif // KERNIX_CORE_EXTENT_H
