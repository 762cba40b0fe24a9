// runtime/src/selector/operation_table.h - the operations of a selector by name. Grows, and never forgets a name.
//
// Readers take no lock and never wait: a table of pointers is only ever added to; when it is half full, one of twice
// the size takes its place, and it is kept for readers that still look into it. All tables together are at most twice
// the last one.

#ifndef KERNIX_SELECTOR_OPERATION_TABLE_H
#define KERNIX_SELECTOR_OPERATION_TABLE_H

#include "selector/operation_entry.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace kernix::selector {

class OperationTable {
public:
  OperationTable();

  /// Null if no operation has this name. The entry lives as long as the table.
  const OperationEntry *find(std::string_view name) const;

  /// Calls `change` with the entry, which is made if there is none, while no other change is made.
  template <class Change> void change(std::string_view name, Change &&change) {
    std::lock_guard lock(mutex_);
    change(entry(name));
  }
  /// The entry, made if there is none. Waits for writers only if it has to be made.
  OperationEntry &find_or_add(std::string_view name);

  /// `visit` may change the table: what is added meanwhile is not visited.
  template <class Visit> void visit(Visit &&visit) const {
    std::vector<const OperationEntry *> all;
    {
      std::lock_guard lock(mutex_);
      for (const OperationEntry &entry : entries_)
        all.push_back(&entry);
    }
    for (const OperationEntry *entry : all)
      visit(*entry);
  }

private:
  struct Slots {
    explicit Slots(size_t size) : mask(size - 1), entries(std::make_unique<std::atomic<OperationEntry *>[]>(size)) {}
    const size_t mask;
    const std::unique_ptr<std::atomic<OperationEntry *>[]> entries;
  };

  OperationEntry &entry(std::string_view name);
  static OperationEntry *look_up(const Slots &slots, std::string_view name);
  static void insert(Slots &slots, OperationEntry *entry);

  mutable std::mutex mutex_; ///< of writers
  std::deque<OperationEntry> entries_;
  std::vector<std::unique_ptr<Slots>> all_slots_;
  std::atomic<Slots *> slots_;
};

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_OPERATION_TABLE_H
