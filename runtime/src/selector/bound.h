// runtime/src/selector/bound.h - what bound functions tell the registry.

#ifndef KERNIX_SELECTOR_BOUND_H
#define KERNIX_SELECTOR_BOUND_H

#include "kernix/selector_abi.h"

#include <vector>

namespace kernix::selector {

/// Registers the variants of operations as capabilities of all devices of a type, with what [[kernix::capability]] says
/// of them. Derivatives are no operations of their own here.
void register_bound(const std::vector<kernix_operation> &operations, int32_t device_type);
/// The same for the devices of their module's target.
void register_bound(const std::vector<kernix_operation> &operations);

/// Whether the variant's capability is registered as unavailable on a device. What has none is available.
bool is_unavailable(const kernix_operation &operation, const kernix_function &function, kernix_device device);

/// The kernel dtype of a function of a module, AUTO where it has none.
int32_t bound_dtype(const kernix_function &function);

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_BOUND_H
