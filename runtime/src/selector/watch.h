// runtime/src/selector/watch.h - what calls have to look at, so that those of a process that uses none of it look at
// one word.

#ifndef KERNIX_SELECTOR_WATCH_H
#define KERNIX_SELECTOR_WATCH_H

#include "kernix/selector_abi.h"

namespace kernix::selector {

inline bool is_watched(uint32_t bits) { return (__atomic_load_n(&kernix_watched, __ATOMIC_RELAXED) & bits) != 0; }
inline void watch(uint32_t bits) { __atomic_fetch_or(&kernix_watched, bits, __ATOMIC_RELAXED); }
inline void watch_no_longer(uint32_t bits) { __atomic_fetch_and(&kernix_watched, ~bits, __ATOMIC_RELAXED); }

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_WATCH_H
