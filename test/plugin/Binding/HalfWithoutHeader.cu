// Names of dtypes whose types a header declares that is not included.
// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+1]]:56: error: 'float16' is a type of <cuda_fp16.h>, which is not included
template <class T> [[kernix::bind, kernix::instantiate("float16")]] __global__ void half_(T *y) {}
// CHECK: :[[#@LINE+1]]:56: error: 'bfloat16' is a type of <cuda_bf16.h>, which is not included
template <class T> [[kernix::bind, kernix::instantiate("bfloat16")]] __global__ void bfloat(T *y) {}
// CHECK: :[[#@LINE+1]]:56: error: 'complex64' is a type of <complex>, which is not included
template <class T> [[kernix::bind, kernix::instantiate("complex64")]] __global__ void complex(T *y) {}
