// runtime/src/lanes/xla_targets.cpp - handlers by the name of their target.
//
// A handler is a function without data of its own, and XLA refuses another address under a name that it knows. So each
// target has one of a fixed row of functions, which looks up what it stands for: a module that is loaded again under
// the same name replaces that, also for what XLA has compiled before.

#include "lanes/xla_targets.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace kernix::lanes::xla {

namespace {

constexpr size_t max_targets = 4096;

/// What a target stands for. Never freed: a call may be under way.
struct Target {
  const kernix_operation *operation;
  uint32_t traits;
  Plans plans;
};

std::array<std::atomic<const Target *>, max_targets> targets;

template <size_t index> XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame) {
  const Target &target = *targets[index].load(std::memory_order_acquire);
  return handle(*target.operation, target.traits, target.plans, frame);
}

Plans make_plans(const kernix_operation &operation) {
  Plans plans;
  for (int32_t variant = 0; variant < operation.num_functions; ++variant)
    if (std::unique_ptr<const Plan> plan = Plan::make(operation, variant))
      plans.push_back(std::move(plan));
  return plans;
}

template <size_t... index>
constexpr std::array<kernix_handler_for_xla, max_targets> make_handlers(std::index_sequence<index...>) {
  return {&handler<index>...};
}

constexpr std::array<kernix_handler_for_xla, max_targets> handlers =
    make_handlers(std::make_index_sequence<max_targets>());

std::mutex mutex;

std::map<std::string, size_t> &names() {
  static auto *const known = new std::map<std::string, size_t>; // handlers live as long as the process
  return *known;
}

} // namespace

} // namespace kernix::lanes::xla

using namespace kernix::lanes::xla;

int kernix_target_for_xla(const char *name, const kernix_operation *operation, int32_t capturable,
                          kernix_handler_for_xla *handler, int32_t *is_replaced) {
  const std::string key = std::string(operation->module->target == KERNIX_TARGET_CUDA ? "cuda:" : "cpu:") + name;
  std::lock_guard lock(mutex);
  const auto [found, is_new] = names().try_emplace(key, names().size());
  const size_t index = found->second;
  if (index >= max_targets) {
    names().erase(found);
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "'%s' cannot be registered with XLA: there are %zu targets already",
                            name, max_targets);
  }
  const uint32_t traits = capturable == 0 ? 0 : traits_of(*operation, capturable > 0);
  const Target *const before = targets[index].load(std::memory_order_relaxed);
  *handler = handlers[index];
  *is_replaced = !is_new && before->operation != operation;
  if (is_new || *is_replaced || before->traits != traits)
    targets[index].store(new Target{operation, traits, make_plans(*operation)}, std::memory_order_release);
  return KERNIX_OK;
}
