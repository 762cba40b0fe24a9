// runtime/src/selector/registry.h - the selectors of the process, one for each device.

#ifndef KERNIX_SELECTOR_REGISTRY_H
#define KERNIX_SELECTOR_REGISTRY_H

#include "kernix/selector_abi.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kernix::selector {

/// A capability of a function that a module has bound.
struct BoundCapability {
  int32_t device_type;
  std::string operation;
  kernix_capability capability;
};

/// Selectors are made with the default capabilities of their device and those of all bound functions, which also reach
/// selectors that exist already.
class Registry {
public:
  static Registry &instance();

  /// Held for the caller.
  kernix_selector *selector(kernix_device device);
  void clear();
  /// Each held for the caller.
  std::vector<kernix_selector *> all() const;

  void add(std::vector<BoundCapability> capabilities);

  /// Another number after each `clear`. Every recorded call asks.
  static uint64_t generation() { return current_generation.load(std::memory_order_acquire); }

private:
  Registry() = default;

  mutable std::mutex mutex_;
  static constinit inline std::atomic<uint64_t> current_generation{1};
  std::map<std::pair<int32_t, int32_t>, kernix_selector *> selectors_; ///< by type and index; each held
  std::map<std::pair<int32_t, std::string>, std::map<int32_t, kernix_capability>> bound_; ///< by device type and name
};

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_REGISTRY_H
