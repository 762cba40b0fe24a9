// runtime/src/selector/defaults.h - the capabilities that every device starts with.

#ifndef KERNIX_SELECTOR_DEFAULTS_H
#define KERNIX_SELECTOR_DEFAULTS_H

#include "kernix/selector_abi.h"

namespace kernix::selector {

/// Of a selector that is made. The driver is asked what a CUDA device can do.
void set_defaults(kernix_selector &selector);

/// As if the user had registered each. `compute_capability`: 10 * major + minor of a CUDA device; 0: the driver is
/// asked.
void register_defaults(kernix_device device, kernix_selector &selector, int32_t compute_capability);

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_DEFAULTS_H
