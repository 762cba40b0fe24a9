// runtime/src/core/module.cpp - groups the functions of a loaded object into operations.
//
// Several records of one name are variants of one operation. A record that reaches the object twice (an inline function
// or template instance of two translation units) counts once.

#include "kernix/abi.h"
#include "selector/bound.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Operations {
  std::vector<std::vector<const kernix_function *>> variants; // one list per operation
  std::vector<std::string> names;
  std::vector<kernix_operation> storage;
  std::vector<const kernix_operation *> pointers;
};

int check_version(const char *what, uint32_t found) {
  if (found == KERNIX_ABI_VERSION)
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_RUNTIME,
                          "%s was compiled for kernix ABI %u, this runtime has ABI %u: compile it again", what, found,
                          KERNIX_ABI_VERSION);
}

int check_function(const kernix_module_info &module, const kernix_function &function) {
  if (int status = check_version(function.name, function.abi_version); status != KERNIX_OK)
    return status;
  if (function.struct_size != sizeof(kernix_function))
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: its record has %u bytes, this runtime expects %zu",
                            function.name, function.struct_size, sizeof(kernix_function));
  const bool is_cuda = (function.flags & KERNIX_FOR_CUDA) != 0;
  if (is_cuda != (module.target == KERNIX_TARGET_CUDA))
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: compiled for %s, but its module says %s", function.signature,
                            is_cuda ? "CUDA" : "the CPU", is_cuda ? "the CPU" : "CUDA");
  return KERNIX_OK;
}

/// Callers bind arguments by name and position before a variant is chosen.
int check_variant(const kernix_function &first, const kernix_function &other) {
  bool agrees = first.num_parameters == other.num_parameters;
  for (int32_t i = 0; agrees && i < first.num_parameters; ++i)
    agrees = std::strcmp(first.parameters[i].name, other.parameters[i].name) == 0;
  if (agrees)
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_TYPE,
                          "%s: variants of one operation must have the same parameter names, but there are %s and %s",
                          first.name, first.signature, other.signature);
}

int add(Operations &operations, const kernix_function *function) {
  for (std::vector<const kernix_function *> &variants : operations.variants) {
    const kernix_function &first = *variants.front();
    if (std::strcmp(first.name, function->name) != 0)
      continue;
    for (const kernix_function *known : variants) {
      if (known == function)
        return KERNIX_OK;
      if (std::strcmp(known->mangled_name, function->mangled_name) != 0)
        continue;
      if (known->record_hash == function->record_hash)
        return KERNIX_OK;
      return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s is bound twice, with different attributes",
                              function->signature);
    }
    if (int status = check_variant(first, *function); status != KERNIX_OK)
      return status;
    variants.push_back(function);
    return KERNIX_OK;
  }
  operations.variants.push_back({function});
  return KERNIX_OK;
}

void finish(Operations &operations, const kernix_module_info *module) {
  const size_t count = operations.variants.size();
  for (const auto &variants : operations.variants)
    operations.names.emplace_back(variants.front()->name);
  operations.storage.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const auto &variants = operations.variants[i];
    operations.storage[i] = {operations.names[i].c_str(), static_cast<int32_t>(variants.size()), variants.data(),
                             module};
    operations.pointers.push_back(&operations.storage[i]);
  }
}

class Registry {
public:
  static Registry &instance() {
    static auto *const registry = new Registry; // operations live as long as the process
    return *registry;
  }

  /// Returns the known operations when they are the same. An object that was unloaded may leave its address to another
  /// one, so the address alone says nothing.
  const Operations &publish(const kernix_module_info *module, std::unique_ptr<Operations> fresh) {
    std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Operations> &known : known_)
      if (known->variants == fresh->variants && known->names == fresh->names &&
          (known->storage.empty() || known->storage.front().module == module))
        return *known;
    kernix::selector::register_bound(fresh->storage);
    known_.push_back(std::move(fresh));
    return *known_.back();
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Operations>> known_;
};

} // namespace

int kernix_module_operations(const kernix_module_info *module, const kernix_operation *const **operations,
                             int32_t *count) {
  if (int status = check_version("the module", module->abi_version); status != KERNIX_OK)
    return status;
  auto fresh = std::make_unique<Operations>();
  for (auto *entry = module->functions_begin; entry != module->functions_end; ++entry) {
    if (!*entry) // padding of the section
      continue;
    if (int status = check_function(*module, **entry); status != KERNIX_OK)
      return status;
    if (int status = add(*fresh, *entry); status != KERNIX_OK)
      return status;
  }
  finish(*fresh, module);
  const Operations &published = Registry::instance().publish(module, std::move(fresh));
  *operations = published.pointers.data();
  *count = static_cast<int32_t>(published.pointers.size());
  return KERNIX_OK;
}

const kernix_operation *kernix_operation_resolve(kernix_operation_slot *slot) {
  if (const kernix_operation *known = __atomic_load_n(&slot->resolved, __ATOMIC_ACQUIRE))
    return known;
  const kernix_operation *const *operations;
  int32_t count;
  if (kernix_module_operations(slot->module, &operations, &count) != KERNIX_OK)
    return nullptr;
  for (int32_t i = 0; i < count; ++i) {
    if (std::strcmp(operations[i]->name, slot->name) != 0)
      continue;
    __atomic_store_n(&slot->resolved, operations[i], __ATOMIC_RELEASE);
    return operations[i];
  }
  kernix_set_error(KERNIX_ERROR_KEY, "the module has no operation '%s'", slot->name);
  return nullptr;
}
