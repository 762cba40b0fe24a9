// runtime/src/core/results.h - layout of results in the caller's storage, and their packing order.
//
// The function's own result comes first, then outputs in parameter order (docs/calling.md). The base address only needs
// malloc's alignment: over-aligned results get slack.

#ifndef KERNIX_CORE_RESULTS_H
#define KERNIX_CORE_RESULTS_H

#include "core/arena.h"
#include "core/parameter.h"

#include <cstddef>

namespace kernix::core {

/// Hands out consecutive aligned pieces of a buffer; with a null buffer it only counts.
class ResultLayout {
public:
  explicit ResultLayout(void *storage) : next_(static_cast<char *>(storage)) {}

  void *take(const kernix_parameter &result) {
    const size_t alignment = result.alignment > 1 ? static_cast<size_t>(result.alignment) : 1;
    const size_t size = result.size > 0 ? static_cast<size_t>(result.size) : 0;
    total_ += size + alignment - 1;
    if (!next_)
      return nullptr;
    char *start = align_up(next_, alignment);
    next_ = start + size;
    return start;
  }
  size_t total() const { return total_; }

private:
  char *next_;
  size_t total_ = 0;
};

} // namespace kernix::core

#endif // KERNIX_CORE_RESULTS_H
