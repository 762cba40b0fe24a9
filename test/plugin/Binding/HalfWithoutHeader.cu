// Names of dtypes whose types a header declares that is not included.
// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-host -fsyntax-only -DCOMPLEX %s 2>&1 | FileCheck %s --check-prefix=COMPLEX --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: error: 'y' of type '__half *' cannot be bound: no tensor has elements of type '__half': it is incomplete; include <cuda_fp16.h>
template <class T> [[kernix::bind, kernix::instantiate("float16")]] __global__ void half_(T *y) {}
// CHECK: error: 'y' of type '__nv_bfloat16 *' cannot be bound: no tensor has elements of type '__nv_bfloat16': it is incomplete; include <cuda_bf16.h>
template <class T> [[kernix::bind, kernix::instantiate("bfloat16")]] __global__ void bfloat(T *y) {}
#ifdef COMPLEX
// COMPLEX: error: no type called 'complex64' is visible here
template <class T> [[kernix::bind, kernix::instantiate("complex64")]] __global__ void complex(T *y) {}
#endif
