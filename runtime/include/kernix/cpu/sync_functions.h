// kernix/cpu/sync_functions.h - barriers of a block, memory fences, traps, clocks.
#ifndef KERNIX_CPU_SYNC_FUNCTIONS_H
#define KERNIX_CPU_SYNC_FUNCTIONS_H

#include "device_runtime.h"
#include "keywords.h"

// To the host pass clang itself declares it, a builtin of the GPU that it takes to be the device; it is never compiled.
#ifdef __CUDA_ARCH__
KERNIX_CPU_ONLY_DEVICE void __syncthreads() { kernix_cpu_barrier(); }
#endif
KERNIX_CPU_ONLY_DEVICE int __syncthreads_count(int predicate) {
  return kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_COUNT, predicate);
}
KERNIX_CPU_ONLY_DEVICE int __syncthreads_and(int predicate) {
  return kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_AND, predicate);
}
KERNIX_CPU_ONLY_DEVICE int __syncthreads_or(int predicate) {
  return kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_OR, predicate);
}

// Threads of one block share a host thread, other blocks run on others.
KERNIX_CPU_ONLY_DEVICE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
KERNIX_CPU_ONLY_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KERNIX_CPU_ONLY_DEVICE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

KERNIX_CPU_ONLY_DEVICE void __trap() { kernix_cpu_trap(); }
KERNIX_CPU_ONLY_DEVICE void __brkpt() { __builtin_debugtrap(); }
KERNIX_CPU_ONLY_DEVICE void __nanosleep(unsigned nanoseconds) { kernix_cpu_nanosleep(nanoseconds); }
KERNIX_CPU_ONLY_DEVICE long long clock64() { return kernix_cpu_clock64(); }

#endif
