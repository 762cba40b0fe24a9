// runtime/src/selector/bound.h - what bound functions tell the registry.

#ifndef KERNIX_SELECTOR_BOUND_H
#define KERNIX_SELECTOR_BOUND_H

#include "kernix/abi.h"

#include <vector>

namespace kernix::selector {

/// Registers the variants of a module's operations as capabilities of its target's devices, with what
/// [[kernix::capability]] says of them. Derivatives are no operations of their own here.
void register_bound(const std::vector<kernix_operation> &operations);

/// The kernel dtype of a function of a module, AUTO where it has none.
int32_t bound_dtype(const kernix_function &function);

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_BOUND_H
