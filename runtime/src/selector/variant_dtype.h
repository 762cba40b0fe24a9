// runtime/src/selector/variant_dtype.h - the kernel dtype of a variant of an operation.

#ifndef KERNIX_SELECTOR_VARIANT_DTYPE_H
#define KERNIX_SELECTOR_VARIANT_DTYPE_H

#include "kernix/abi.h"

namespace kernix::selector {

/// By the floating-point tensors in which the variants differ, inputs first; where they differ in none, by all of them.
/// A weight that is float in every variant does not make the half one mixed. -1: float64, complex or no such tensor.
int32_t variant_dtype(const kernix_operation &operation, int32_t variant);

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_VARIANT_DTYPE_H
