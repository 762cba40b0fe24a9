// runtime/src/selector/operation_table.cpp

#include "selector/operation_table.h"

#include <functional>

namespace kernix::selector {

namespace {

size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

} // namespace

OperationTable::OperationTable() : slots_(nullptr) {
  constexpr size_t first_size = 64;
  all_slots_.push_back(std::make_unique<Slots>(first_size));
  slots_.store(all_slots_.back().get(), std::memory_order_release);
}

const OperationEntry *OperationTable::find(std::string_view name) const {
  return look_up(*slots_.load(std::memory_order_acquire), name);
}

OperationEntry &OperationTable::find_or_add(std::string_view name) {
  if (OperationEntry *known = look_up(*slots_.load(std::memory_order_acquire), name))
    return *known;
  std::lock_guard lock(mutex_);
  return entry(name);
}

OperationEntry *OperationTable::look_up(const Slots &slots, std::string_view name) {
  for (size_t i = hash_of(name) & slots.mask;; i = (i + 1) & slots.mask) {
    OperationEntry *const found = slots.entries[i].load(std::memory_order_acquire);
    if (!found || found->name() == name)
      return found;
  }
}

void OperationTable::insert(Slots &slots, OperationEntry *entry) {
  size_t i = hash_of(entry->name()) & slots.mask;
  while (slots.entries[i].load(std::memory_order_relaxed))
    i = (i + 1) & slots.mask;
  slots.entries[i].store(entry, std::memory_order_release);
}

OperationEntry &OperationTable::entry(std::string_view name) {
  Slots *slots = slots_.load(std::memory_order_relaxed);
  if (OperationEntry *known = look_up(*slots, name))
    return *known;
  OperationEntry &made = entries_.emplace_back(name);
  if (2 * entries_.size() <= slots->mask) {
    insert(*slots, &made);
    return made;
  }
  auto larger = std::make_unique<Slots>(2 * (slots->mask + 1));
  for (OperationEntry &each : entries_)
    insert(*larger, &each);
  slots_.store(larger.get(), std::memory_order_release);
  all_slots_.push_back(std::move(larger));
  return made;
}

} // namespace kernix::selector
