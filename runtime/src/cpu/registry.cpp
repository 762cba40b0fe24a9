// cpu/registry.cpp - the kernels and device variables of the loaded objects, by their handles in host code.
//
// Objects register themselves when they are loaded. An instance of a template has one stub for all units of an object,
// and each unit has a body for it: any of them serves, so records are kept per unit and the first found wins.
#include "cpu/registry.h"
#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace kernix::cpu {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<const void *, std::vector<std::unique_ptr<KernelRecord>>> kernels;
  std::unordered_map<const void *, std::vector<const kernix_cpu_variable_entry *>> variables;
  std::atomic<uint64_t> version{1}; // changes with every registration
};

/// Never destroyed: objects may be unloaded after this library's destructors have run.
Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

struct LastFound {
  const void *stub = nullptr;
  KernelRecord *record = nullptr;
  uint64_t version = 0;
};
thread_local LastFound last_found;

bool belongs_to(const kernix_cpu_unit &unit, const kernix_cpu_kernel_entry *entry) {
  return entry >= unit.kernels && entry < unit.kernels + unit.num_kernels;
}

} // namespace

KernelRecord *find_kernel(const void *stub) {
  Registry &all = registry();
  uint64_t version = all.version.load(std::memory_order_acquire);
  if (last_found.stub == stub && last_found.version == version)
    return last_found.record;
  std::shared_lock lock(all.mutex);
  auto found = all.kernels.find(stub);
  if (found == all.kernels.end())
    return nullptr;
  last_found = {stub, found->second.front().get(), version};
  return last_found.record;
}

const kernix_cpu_variable *find_variable(const void *shadow) {
  Registry &all = registry();
  std::shared_lock lock(all.mutex);
  auto found = all.variables.find(shadow);
  return found == all.variables.end() ? nullptr : found->second.front()->variable;
}

} // namespace kernix::cpu

using namespace kernix::cpu;

void kernix_cpu_register_unit(const kernix_cpu_unit *unit) {
  if (unit->version != KERNIX_CPU_OBJECT_VERSION)
    return; // its launches fail with cudaErrorInvalidDeviceFunction
  Registry &all = registry();
  std::unique_lock lock(all.mutex);
  for (uint64_t i = 0; i != unit->num_kernels; ++i) {
    auto record = std::make_unique<KernelRecord>();
    record->entry = &unit->kernels[i];
    record->max_dynamic_shared = -1;
    all.kernels[unit->kernels[i].stub].push_back(std::move(record));
  }
  for (uint64_t i = 0; i != unit->num_variables; ++i)
    all.variables[unit->variables[i].shadow].push_back(&unit->variables[i]);
  all.version.fetch_add(1, std::memory_order_release);
}

void kernix_cpu_unregister_unit(const kernix_cpu_unit *unit) {
  if (unit->version != KERNIX_CPU_OBJECT_VERSION)
    return;
  Registry &all = registry();
  std::unique_lock lock(all.mutex);
  for (uint64_t i = 0; i != unit->num_kernels; ++i) {
    auto found = all.kernels.find(unit->kernels[i].stub);
    if (found == all.kernels.end())
      continue;
    std::erase_if(found->second, [&](const auto &record) { return belongs_to(*unit, record->entry); });
    if (found->second.empty())
      all.kernels.erase(found);
  }
  for (uint64_t i = 0; i != unit->num_variables; ++i) {
    auto found = all.variables.find(unit->variables[i].shadow);
    if (found == all.variables.end())
      continue;
    std::erase(found->second, &unit->variables[i]);
    if (found->second.empty())
      all.variables.erase(found);
  }
  all.version.fetch_add(1, std::memory_order_release);
}
