// cpu/race_check.h - with ThreadSanitizer in the process: each CUDA thread is a thread of its own to it.
//
// The threads of a block run one after the other on one host thread, and blocks behind each other: a race between them
// would look like order. ThreadSanitizer knows fibers, and takes them to run at once unless it is told what orders
// them: barriers and __syncwarp do, shuffles and votes do not. Memory that blocks use again is made new for each.
// Without ThreadSanitizer all of this is one comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <sys/mman.h>

// NOLINTBEGIN(readability-identifier-naming): the names are ThreadSanitizer's.
extern "C" {
__attribute__((weak)) void *__tsan_get_current_fiber();
__attribute__((weak)) void *__tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void *fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void *fiber, unsigned flags);
__attribute__((weak)) void __tsan_acquire(void *place);
__attribute__((weak)) void __tsan_release(void *place);
__attribute__((weak)) void AnnotateIgnoreReadsBegin(const char *file, int line);
__attribute__((weak)) void AnnotateIgnoreReadsEnd(const char *file, int line);
__attribute__((weak)) void AnnotateIgnoreWritesBegin(const char *file, int line);
__attribute__((weak)) void AnnotateIgnoreWritesEnd(const char *file, int line);
}
// NOLINTEND(readability-identifier-naming)

namespace kernix::cpu {

inline bool checks_races() { return __tsan_create_fiber != nullptr; }

inline void switch_checked(void *fiber) {
  constexpr unsigned no_order = 1;
  if (fiber)
    __tsan_switch_to_fiber(fiber, no_order);
}

/// Pages whose contents nobody has seen. At `memory`, or anywhere if it is null; null if there are none.
inline void *new_pages(void *memory, std::size_t bytes) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  void *const pages = mmap(memory, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (memory ? MAP_FIXED : 0), -1, 0);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return pages == MAP_FAILED ? nullptr : pages;
}

/// An address that nothing was ordered by yet; null without ThreadSanitizer.
inline void *new_order() {
  if (!checks_races())
    return nullptr;
  constexpr std::size_t count = 8 << 20;
  static char *const addresses = static_cast<char *>(new_pages(nullptr, 8 * count));
  static std::atomic<std::size_t> used{0};
  return addresses + 8 * (used++ % count);
}

/// What this thread has done comes before what those do that call order_after later.
inline void order_before(void *place) {
  if (checks_races())
    __tsan_release(place);
}
inline void order_after(void *place) {
  if (checks_races())
    __tsan_acquire(place);
}

} // namespace kernix::cpu
