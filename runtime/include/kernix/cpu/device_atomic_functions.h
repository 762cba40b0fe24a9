// kernix/cpu/device_atomic_functions.h - atomicAdd and its family; those of half and bfloat16 are in their headers.
//
// Relaxed, as in CUDA, and of system scope: the _block and _system forms differ in name alone.
#ifndef KERNIX_CPU_DEVICE_ATOMIC_FUNCTIONS_H
#define KERNIX_CPU_DEVICE_ATOMIC_FUNCTIONS_H

#include "keywords.h"
#include "vector_types.h"

namespace kernix_cpu_atomic {

// Replaces *address by update(*address) and gives the value before. Word is an integer of T's size.
template <class Word, class T, class Update> KERNIX_CPU_ONLY_DEVICE T compare_and_swap_loop(T *address, Update update) {
  static_assert(sizeof(Word) == sizeof(T));
  Word *word = reinterpret_cast<Word *>(address);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T value;
    __builtin_memcpy(&value, &before, sizeof(T));
    T updated = update(value);
    Word after;
    __builtin_memcpy(&after, &updated, sizeof(T));
    if (__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return value;
  }
}

} // namespace kernix_cpu_atomic

#define KERNIX_CPU_ATOMIC(name, type, body)                                                                            \
  KERNIX_CPU_ONLY_DEVICE type name(type *address, type value){body} KERNIX_CPU_ONLY_DEVICE type name##_block(          \
      type *address, type value){body} KERNIX_CPU_ONLY_DEVICE type name##_system(type *address, type value) {          \
    body                                                                                                               \
  }
#define KERNIX_CPU_ATOMIC_BUILTIN(name, type, builtin)                                                                 \
  KERNIX_CPU_ATOMIC(name, type, return builtin(address, value, __ATOMIC_RELAXED);)
#define KERNIX_CPU_ATOMIC_CAS(type)                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type atomicCAS(type *address, type compare, type value) {                                     \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                  \
    return compare;                                                                                                    \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type atomicCAS_block(type *address, type compare, type value) {                               \
    return atomicCAS(address, compare, value);                                                                         \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE type atomicCAS_system(type *address, type compare, type value) {                              \
    return atomicCAS(address, compare, value);                                                                         \
  }

KERNIX_CPU_ATOMIC_BUILTIN(atomicAdd, int, __atomic_fetch_add)
KERNIX_CPU_ATOMIC_BUILTIN(atomicAdd, unsigned int, __atomic_fetch_add)
KERNIX_CPU_ATOMIC_BUILTIN(atomicAdd, unsigned long long, __atomic_fetch_add)
KERNIX_CPU_ATOMIC_BUILTIN(atomicAdd, float, __atomic_fetch_add)
KERNIX_CPU_ATOMIC_BUILTIN(atomicAdd, double, __atomic_fetch_add)
// Each component atomically, not the vector: CUDA promises no more.
KERNIX_CPU_ATOMIC(atomicAdd, float2, return (float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)});)
KERNIX_CPU_ATOMIC(atomicAdd, float4,
                  return (float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                                 atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)});)
KERNIX_CPU_ATOMIC_BUILTIN(atomicSub, int, __atomic_fetch_sub)
KERNIX_CPU_ATOMIC_BUILTIN(atomicSub, unsigned int, __atomic_fetch_sub)
KERNIX_CPU_ATOMIC_BUILTIN(atomicExch, int, __atomic_exchange_n)
KERNIX_CPU_ATOMIC_BUILTIN(atomicExch, unsigned int, __atomic_exchange_n)
KERNIX_CPU_ATOMIC_BUILTIN(atomicExch, unsigned long long, __atomic_exchange_n)
KERNIX_CPU_ATOMIC(atomicExch, float, float before; __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
                  return before;)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMin, int, __atomic_fetch_min)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMin, unsigned int, __atomic_fetch_min)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMin, long long, __atomic_fetch_min)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMin, unsigned long long, __atomic_fetch_min)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMax, int, __atomic_fetch_max)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMax, unsigned int, __atomic_fetch_max)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMax, long long, __atomic_fetch_max)
KERNIX_CPU_ATOMIC_BUILTIN(atomicMax, unsigned long long, __atomic_fetch_max)
#define KERNIX_CPU_ATOMIC_BITS(type)                                                                                   \
  KERNIX_CPU_ATOMIC_BUILTIN(atomicAnd, type, __atomic_fetch_and)                                                       \
  KERNIX_CPU_ATOMIC_BUILTIN(atomicOr, type, __atomic_fetch_or)                                                         \
  KERNIX_CPU_ATOMIC_BUILTIN(atomicXor, type, __atomic_fetch_xor)
KERNIX_CPU_ATOMIC_BITS(int)
KERNIX_CPU_ATOMIC_BITS(unsigned int)
KERNIX_CPU_ATOMIC_BITS(long long)
KERNIX_CPU_ATOMIC_BITS(unsigned long long)
#undef KERNIX_CPU_ATOMIC_BITS

// Counts up to and including `value`, then starts again at 0; and downwards.
KERNIX_CPU_ATOMIC(atomicInc, unsigned int,
                  return kernix_cpu_atomic::compare_and_swap_loop<unsigned>(address, [value](unsigned old) {
                    return old >= value ? 0u : old + 1u;
                  });)
KERNIX_CPU_ATOMIC(atomicDec, unsigned int,
                  return kernix_cpu_atomic::compare_and_swap_loop<unsigned>(address, [value](unsigned old) {
                    return old == 0u || old > value ? value : old - 1u;
                  });)

KERNIX_CPU_ATOMIC_CAS(int)
KERNIX_CPU_ATOMIC_CAS(unsigned int)
KERNIX_CPU_ATOMIC_CAS(unsigned long long)
KERNIX_CPU_ATOMIC_CAS(unsigned short)
#undef KERNIX_CPU_ATOMIC_CAS
#undef KERNIX_CPU_ATOMIC_BUILTIN

#endif
