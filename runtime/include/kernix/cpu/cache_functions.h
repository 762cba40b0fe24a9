// kernix/cpu/cache_functions.h - loads and stores with cache hints. The CPU has no such hints: plain loads and stores,
// for every type (CUDA has a list of types).
#ifndef KERNIX_CPU_CACHE_FUNCTIONS_H
#define KERNIX_CPU_CACHE_FUNCTIONS_H

#include "keywords.h"

namespace kernix_cpu_cache {
template <class T> struct Same {
  using type = T;
};
} // namespace kernix_cpu_cache

#define KERNIX_CPU_LOAD(name)                                                                                          \
  template <class T> KERNIX_CPU_ONLY_DEVICE T name(const T *address) { return *address; }
KERNIX_CPU_LOAD(__ldg)
KERNIX_CPU_LOAD(__ldcg)
KERNIX_CPU_LOAD(__ldca)
KERNIX_CPU_LOAD(__ldcs)
KERNIX_CPU_LOAD(__ldlu)
#undef KERNIX_CPU_LOAD

// "Don't cache, fetch again": the compiler may not reuse an earlier load either.
template <class T> KERNIX_CPU_ONLY_DEVICE T __ldcv(const T *address) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return *address;
}

#define KERNIX_CPU_STORE(name)                                                                                         \
  template <class T> KERNIX_CPU_ONLY_DEVICE void name(T *address, typename kernix_cpu_cache::Same<T>::type value) {    \
    *address = value;                                                                                                  \
  }
KERNIX_CPU_STORE(__stwb)
KERNIX_CPU_STORE(__stcg)
KERNIX_CPU_STORE(__stcs)
KERNIX_CPU_STORE(__stwt)
#undef KERNIX_CPU_STORE

#endif
