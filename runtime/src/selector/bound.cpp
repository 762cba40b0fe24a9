// runtime/src/selector/bound.cpp
//
// The attribute's values stand in the record as JSON only, written by the plugin: one object of three members, which is
// read here without a parser. Quotes inside the record's strings are escaped, so that none of them looks like it.

#include "selector/bound.h"
#include "selector/registry.h"
#include "selector/selector.h"
#include "selector/variant_dtype.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kernix::selector {

namespace {

/// The text after `"name":` in `object`; empty if it is not there.
std::string_view member(std::string_view object, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  const size_t start = object.find(key);
  return start == std::string_view::npos ? std::string_view() : object.substr(start + key.size());
}

/// As near as a float comes: the attribute takes any positive number. None is longer than this.
float number(std::string_view text) {
  using Limits = std::numeric_limits<float>;
  const double value = text.empty() ? 1.0 : std::strtod(std::string(text.substr(0, 32)).c_str(), nullptr);
  return static_cast<float>(
      std::clamp(value, static_cast<double>(Limits::denorm_min()), static_cast<double>(Limits::max())));
}

kernix_capability capability(const kernix_function &function, int32_t dtype) {
  kernix_capability made = {dtype, 1, 0, 1.0f, 1.0f};
  const std::string_view object = member(function.json ? function.json : "", "capability");
  if (!object.starts_with('{'))
    return made;
  made.supports_tensor_cores = member(object, "tensor_cores").starts_with("true");
  made.performance_factor = number(member(object, "performance_factor"));
  made.memory_efficiency = number(member(object, "memory_efficiency"));
  return made;
}

/// Kernel dtypes of functions, which are known of their operations only.
class Dtypes {
public:
  static Dtypes &instance() {
    static auto *const dtypes = new Dtypes; // as long as the process
    return *dtypes;
  }

  void add(const kernix_function *function, int32_t dtype) {
    std::unique_lock lock(mutex_);
    dtypes_[function] = dtype;
  }
  int32_t find(const kernix_function *function) const {
    std::shared_lock lock(mutex_);
    const auto known = dtypes_.find(function);
    return known == dtypes_.end() ? static_cast<int32_t>(KERNIX_KERNEL_AUTO) : known->second;
  }

private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const kernix_function *, int32_t> dtypes_;
};

} // namespace

int32_t bound_dtype(const kernix_function &function) { return Dtypes::instance().find(&function); }

bool is_unavailable(const kernix_operation &operation, const kernix_function &function, kernix_device device) {
  const int32_t dtype = bound_dtype(function);
  if (dtype == KERNIX_KERNEL_AUTO)
    return false;
  kernix_selector *const selector = Registry::instance().selector(device);
  kernix_capability found;
  const bool is_known = selector->capability(operation.name, dtype, &found);
  selector->release();
  return is_known && !found.is_available;
}

void register_bound(const std::vector<kernix_operation> &operations, int32_t device_type) {
  std::vector<BoundCapability> capabilities;
  for (const kernix_operation &operation : operations) {
    for (int32_t v = 0; v < operation.num_functions; ++v) {
      const kernix_function &function = *operation.functions[v];
      const int32_t dtype = variant_dtype(operation, v);
      Dtypes::instance().add(&function, dtype < 0 ? static_cast<int32_t>(KERNIX_KERNEL_AUTO) : dtype);
      if (dtype < 0 || function.derivative != KERNIX_NO_DERIVATIVE)
        continue;
      capabilities.push_back({device_type, operation.name, capability(function, dtype)});
    }
  }
  Registry::instance().add(std::move(capabilities));
}

void register_bound(const std::vector<kernix_operation> &operations) {
  if (!operations.empty())
    register_bound(operations, operations[0].module->target == KERNIX_TARGET_CUDA ? KERNIX_CUDA : KERNIX_CPU);
}

} // namespace kernix::selector

int kernix_registry_register_operation(const kernix_operation *operation, int32_t device_type) {
  if (!operation || (device_type != KERNIX_CPU && device_type != KERNIX_CUDA))
    return kernix_set_error(KERNIX_ERROR_VALUE,
                            operation ? "device type: expected that of the CPU or CUDA, got %d"
                                      : "operation: expected no null pointer",
                            device_type);
  kernix::selector::register_bound({*operation}, device_type);
  return KERNIX_OK;
}

int kernix_operation_kernel_dtype(const kernix_operation *operation, int32_t variant, int32_t *kernel_dtype) {
  if (!operation || !kernel_dtype || variant < 0 || variant >= operation->num_functions)
    return kernix_set_error(KERNIX_ERROR_VALUE, "operation: there is no variant %d", variant);
  const int32_t found = kernix::selector::variant_dtype(*operation, variant);
  *kernel_dtype = found < 0 ? static_cast<int32_t>(KERNIX_KERNEL_AUTO) : found;
  return KERNIX_OK;
}
