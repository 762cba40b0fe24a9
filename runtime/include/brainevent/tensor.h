// brainevent/tensor.h - BE::Tensor and BE::DType, which are kernix::Tensor and kernix::DType under brainevent's names.

#ifndef BRAINEVENT_TENSOR_H
#define BRAINEVENT_TENSOR_H

#include "kernix/kernix.h"

#include <cstddef>
#include <cstdint>

namespace BE {

using kernix::DType;
using kernix::dtype_name;
using kernix::dtype_size;
using kernix::Tensor;

/// Most axes of a tensor.
inline constexpr int kMaxDim = KERNIX_MAX_RANK;

} // namespace BE

#endif // BRAINEVENT_TENSOR_H
