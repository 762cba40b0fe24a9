// runtime/src/lanes/xla_targets.h - the handlers that are registered with XLA under names of their own.

#ifndef KERNIX_LANES_XLA_TARGETS_H
#define KERNIX_LANES_XLA_TARGETS_H

#include "kernix/xla.h"
#include "lanes/xla_abi.h"

namespace kernix::lanes::xla {

/// One call of XLA's for an operation; `traits` are what a metadata query is told.
XLA_FFI_Error *handle(const kernix_operation &operation, uint32_t traits, XLA_FFI_CallFrame *frame);

/// What holds for an operation about which the user says nothing.
uint32_t default_traits(const kernix_operation &operation);

} // namespace kernix::lanes::xla

#endif // KERNIX_LANES_XLA_TARGETS_H
