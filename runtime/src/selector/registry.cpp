// runtime/src/selector/registry.cpp

#include "selector/registry.h"
#include "selector/defaults.h"
#include "selector/selector.h"

namespace kernix::selector {

Registry &Registry::instance() {
  static auto *const registry = new Registry; // as long as the process: threads may end after main
  return *registry;
}

kernix_selector *Registry::selector(kernix_device device) {
  const std::pair key(device.type, device.index);
  {
    std::lock_guard lock(mutex_);
    if (const auto known = selectors_.find(key); known != selectors_.end()) {
      known->second->retain();
      return known->second;
    }
  }
  // Without the lock, since it may start the driver. Whoever comes second throws its own away.
  auto *made = new kernix_selector(device, kernix_selector::Owner::Registry);
  set_defaults(*made);
  std::lock_guard lock(mutex_);
  const auto [place, is_new] = selectors_.emplace(key, made);
  if (!is_new)
    made->release();
  for (const auto &[name, capabilities] : bound_)
    for (const auto &[dtype, capability] : capabilities)
      if (is_new && name.first == device.type)
        made->set_bound(name.second, capability);
  place->second->retain();
  return place->second;
}

void Registry::clear() {
  decltype(selectors_) old;
  {
    std::lock_guard lock(mutex_);
    old.swap(selectors_);
    current_generation.fetch_add(1, std::memory_order_release);
  }
  for (const auto &each : old)
    each.second->release();
}

std::vector<kernix_selector *> Registry::all() const {
  std::vector<kernix_selector *> found;
  std::lock_guard lock(mutex_);
  for (const auto &each : selectors_) {
    each.second->retain();
    found.push_back(each.second);
  }
  return found;
}

void Registry::add(std::vector<BoundCapability> capabilities) {
  std::lock_guard lock(mutex_);
  for (BoundCapability &each : capabilities) {
    for (const auto &[device, selector] : selectors_)
      if (device.first == each.device_type)
        selector->set_bound(each.operation, each.capability);
    bound_[{each.device_type, std::move(each.operation)}][each.capability.dtype] = each.capability;
  }
}

} // namespace kernix::selector
