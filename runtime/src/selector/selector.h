// runtime/src/selector/selector.h - the selector of one device: operations, and how their names are read.
//
// Arguments have been checked (c_interface.cpp).

#ifndef KERNIX_SELECTOR_SELECTOR_H
#define KERNIX_SELECTOR_SELECTOR_H

#include "selector/decide.h"
#include "selector/operation_table.h"

#include <atomic>
#include <string>

struct kernix_selector {
public:
  /// Whose it is: what is registered with one of the registry is added to the defaults of that operation, with one that
  /// somebody made it takes their place.
  enum class Owner { Caller, Registry };

  kernix_selector(kernix_device device, Owner owner) : device_(device), owner_(owner) {}

  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  kernix_device device() const { return device_; }

  bool is_available(std::string_view operation, int32_t dtype) const {
    return (look(operation).state.available & kernix::selector::bit(dtype)) != 0;
  }
  kernix::selector::Decision select(std::string_view operation, const kernix_dtype *dtypes, int32_t count,
                                    int32_t preferred) const {
    const Look found = look(operation);
    return decide(found.state, found.entry, dtypes, count, preferred);
  }

  void set_default(std::string_view operation, const kernix_capability &capability);
  void set_capability(std::string_view operation, const kernix_capability &capability);
  /// Of a bound function: takes the place of defaults.
  void set_bound(std::string_view operation, const kernix_capability &capability);
  bool capability(std::string_view operation, int32_t dtype, kernix_capability *capability) const;
  /// False if the operation has no capability.
  bool set_policy(std::string_view operation, int32_t policy);
  int32_t policy(std::string_view operation) const { return look(operation).state.policy; }

  /// Lives as long as the selector.
  kernix::selector::Statistics &statistics(std::string_view operation, int32_t dtype);
  /// False if nothing was measured.
  bool performance(std::string_view operation, int32_t dtype, kernix_performance *performance) const;
  void visit_performance(kernix_visit_performance visit, void *context) const;

private:
  /// An operation as its name means it.
  struct Look {
    kernix::selector::OperationEntry::State state;
    const kernix::selector::OperationEntry *entry = nullptr;
  };
  Look look(std::string_view operation) const;

  ~kernix_selector() = default;

  const kernix_device device_;
  const Owner owner_;
  std::atomic<int64_t> holders_{1};
  kernix::selector::OperationTable operations_;
};

#endif // KERNIX_SELECTOR_SELECTOR_H
