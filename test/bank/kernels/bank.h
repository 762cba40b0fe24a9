// test/bank/kernels/bank.h - what every kernel of the bank begins with.
//
// KERNEL void f(...) is a differentiable kernel template over its scalar type T, instantiated for float and double.
// How to call each one stands above it, in `// bank:` lines; see test/bank/bank.py for their syntax. ONCE_KERNEL: the
// same for kernels that have no second derivative.

#ifndef BANK_H
#define BANK_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

// -DBANK_PRIMAL_ONLY: the kernels without derivatives, to see that they compile and run at all.
#ifdef BANK_PRIMAL_ONLY
#define DIFFERENTIABLE
#define KERNEL template <class T> [[kernix::bind, kernix::instantiate("float", "double")]] __global__
#define ONCE_KERNEL KERNEL
#define PLAIN_KERNEL [[kernix::bind]] __global__
#define DIFF
// -DBANK_SECOND: second derivatives, in double.
#elif defined(BANK_SECOND)
#define KERNEL template <class T> [[kernix::bind, kernix::differentiable(2), kernix::instantiate("double")]] __global__
#define ONCE_KERNEL template <class T> [[kernix::bind, kernix::instantiate("double")]] __global__
#define PLAIN_KERNEL [[kernix::bind]] __global__
#define DIFF [[kernix::diff]]
#else
#define KERNEL                                                                                                         \
  template <class T> [[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]] __global__
#define ONCE_KERNEL KERNEL
#define PLAIN_KERNEL [[kernix::bind, kernix::differentiable]] __global__
#define DIFF [[kernix::diff]]
#endif

__device__ inline int thread_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int lane() { return threadIdx.x % 32; }

#endif
