// runtime/src/lanes/xla_targets.h - the handlers that are registered with XLA under names of their own.

#ifndef KERNIX_LANES_XLA_TARGETS_H
#define KERNIX_LANES_XLA_TARGETS_H

#include "kernix/xla.h"
#include "lanes/xla_abi.h"
#include "lanes/xla_plan.h"

#include <memory>
#include <vector>

namespace kernix::lanes::xla {

using Plans = std::vector<std::unique_ptr<const Plan>>;

/// One call of XLA's for an operation; `traits` are what a metadata query is told. `plans`: of its variants, if any.
XLA_FFI_Error *handle(const kernix_operation &operation, uint32_t traits, const Plans &plans, XLA_FFI_CallFrame *frame);

/// What a metadata query is told of an operation.
uint32_t traits_of(const kernix_operation &operation, bool may_capture_host_functions);

} // namespace kernix::lanes::xla

#endif // KERNIX_LANES_XLA_TARGETS_H
