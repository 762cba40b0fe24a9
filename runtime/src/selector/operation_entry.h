// runtime/src/selector/operation_entry.h - what a selector knows of one operation.
//
// Readers take no lock: what a decision is made of is one word, each capability another one.

#ifndef KERNIX_SELECTOR_OPERATION_ENTRY_H
#define KERNIX_SELECTOR_OPERATION_ENTRY_H

#include "selector/kernel_dtype.h"
#include "selector/packed_capability.h"
#include "selector/statistics.h"

#include <atomic>
#include <string>
#include <string_view>

namespace kernix::selector {

class OperationEntry {
public:
  explicit OperationEntry(std::string_view name) : name_(name) {}

  const std::string &name() const { return name_; }

  /// One moment's availability and policy.
  struct State {
    uint32_t available = 0; ///< bit(kernel dtype)
    int32_t policy = KERNIX_POLICY_SEED;
  };
  State state() const {
    const uint32_t word = state_.load(std::memory_order_acquire);
    return {word & available_mask, static_cast<int32_t>(word >> policy_shift)};
  }

  /// The three are called by the writer that holds the table's lock.
  void set_default(const kernix_capability &capability) {
    set(capability);
    are_defaults_ = true;
  }
  void set_capability(const kernix_capability &capability, bool replaces_defaults) {
    if (are_defaults_ && replaces_defaults) {
      state_.store(state_.load(std::memory_order_relaxed) & ~available_mask, std::memory_order_release);
      for (auto &word : capabilities_)
        word.store(0, std::memory_order_release);
    }
    are_defaults_ = false;
    set(capability);
  }
  void set_policy(int32_t policy) {
    const uint32_t word = state_.load(std::memory_order_relaxed) & available_mask;
    state_.store(word | (static_cast<uint32_t>(policy) << policy_shift), std::memory_order_release);
  }

  /// False if there is none.
  bool capability(int32_t dtype, kernix_capability *capability) const {
    const uint64_t word = capabilities_[dtype].load(std::memory_order_acquire);
    if (word)
      *capability = unpacked(word, dtype);
    return word != 0;
  }
  bool has_capabilities() const {
    for (const auto &word : capabilities_)
      if (word.load(std::memory_order_acquire))
        return true;
    return false;
  }

  Statistics &statistics(int32_t dtype) { return statistics_[dtype]; }
  const Statistics &statistics(int32_t dtype) const { return statistics_[dtype]; }

private:
  void set(const kernix_capability &capability) {
    capabilities_[capability.dtype].store(packed(capability), std::memory_order_release);
    const uint32_t word = state_.load(std::memory_order_relaxed), one = bit(capability.dtype);
    state_.store(capability.is_available ? word | one : word & ~one, std::memory_order_release);
  }

  static constexpr int policy_shift = 8;
  static constexpr uint32_t available_mask = bit(num_kernel_dtypes) - 1;

  const std::string name_;
  bool are_defaults_ = false;      ///< nothing but what every device starts with
  std::atomic<uint32_t> state_{0}; ///< available | policy << policy_shift
  std::atomic<uint64_t> capabilities_[num_kernel_dtypes] = {};
  Statistics statistics_[num_kernel_dtypes + 1]; ///< AUTO: calls of functions that have no kernel dtype
};

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_OPERATION_ENTRY_H
