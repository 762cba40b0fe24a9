// runtime/src/selector/selector.cpp

#include "selector/selector.h"

using namespace kernix::selector;

namespace {

/// Under which name a capability of this dtype stands: "conv2d" for ("conv2d_fp16", FLOAT16).
std::string_view key(std::string_view operation, int32_t dtype) {
  return suffix_of(operation) == dtype ? without_suffix(operation) : operation;
}

} // namespace

kernix_selector::Look kernix_selector::look(std::string_view operation) const {
  Look found;
  found.entry = operations_.find(operation);
  if (found.entry)
    found.state = found.entry->state();
  const int32_t suffix = suffix_of(operation);
  if (suffix < 0)
    return found;
  // What the name ends in stands under the name without it.
  found.state.available &= ~bit(suffix);
  if (const OperationEntry *whole = operations_.find(without_suffix(operation))) {
    found.state.available |= whole->state().available & bit(suffix);
    found.entry = found.entry ? found.entry : whole;
  }
  return found;
}

void kernix_selector::set_default(std::string_view operation, const kernix_capability &capability) {
  operations_.change(key(operation, capability.dtype), [&](OperationEntry &entry) { entry.set_default(capability); });
}

void kernix_selector::set_capability(std::string_view operation, const kernix_capability &capability) {
  operations_.change(key(operation, capability.dtype),
                     [&](OperationEntry &entry) { entry.set_capability(capability, owner_ == Owner::Caller); });
}

void kernix_selector::set_bound(std::string_view operation, const kernix_capability &capability) {
  operations_.change(key(operation, capability.dtype),
                     [&](OperationEntry &entry) { entry.set_capability(capability, true); });
}

bool kernix_selector::capability(std::string_view operation, int32_t dtype, kernix_capability *capability) const {
  const OperationEntry *entry = operations_.find(key(operation, dtype));
  return entry && entry->capability(dtype, capability);
}

bool kernix_selector::set_policy(std::string_view operation, int32_t policy) {
  const OperationEntry *known = operations_.find(operation);
  if (!known || !known->has_capabilities())
    return false;
  operations_.change(operation, [&](OperationEntry &entry) { entry.set_policy(policy); });
  return true;
}

Statistics &kernix_selector::statistics(std::string_view operation, int32_t dtype) {
  return operations_.find_or_add(key(operation, dtype)).statistics(dtype);
}

bool kernix_selector::performance(std::string_view operation, int32_t dtype, kernix_performance *performance) const {
  const OperationEntry *entry = operations_.find(key(operation, dtype));
  if (!entry)
    return false;
  *performance = entry->statistics(dtype).read();
  return performance->timed > 0;
}

void kernix_selector::visit_performance(kernix_visit_performance visit, void *context) const {
  operations_.visit([&](const OperationEntry &entry) {
    for (int32_t dtype = 0; dtype <= KERNIX_KERNEL_AUTO; ++dtype)
      if (const kernix_performance found = entry.statistics(dtype).read(); found.count > 0)
        visit(context, entry.name().c_str(), dtype, &found);
  });
}
