// Which functions the front half calls the user's: those outside of namespaces that are not in CUDA's own headers.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -I%S/Inputs -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.cuda.ll
// RUN: grep 'llvm.global.annotations =' %t.cuda.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// RUN: %cpu-device -I%S/Inputs -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.cpu.ll
// RUN: grep 'llvm.global.annotations =' %t.cpu.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// Preprocessed, all is in one file; CUDA's folders may be on another machine.
// RUN: %toolkit-device -I%S/Inputs -E %s -o - | sed -E 's|^(# [0-9]+ ")(/usr/local/)|\1/nowhere\2|' > %t.i
// RUN: %clang-program -cc1 -load %plugin -triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu \
// RUN:   -target-sdk-version=12.9 -target-cpu sm_90 -target-feature +ptx80 -fcuda-is-device -std=c++20 \
// RUN:   -x cuda-cpp-output -O1 -disable-llvm-passes -emit-llvm %t.i -o %t.i.ll
// RUN: grep 'llvm.global.annotations =' %t.i.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// CUDA's headers lie among those of other libraries, as links or as files.
// RUN: rm -rf %t.flat && mkdir -p %t.flat/own && cp %S/Inputs/own/own_header.h %t.flat/own
// RUN: ln -s %toolkit-include/cuda_fp16.h %t.flat/own && ln -s %toolkit-include/cuda_fp16.hpp %t.flat/own
// RUN: %toolkit-device -isystem %t.flat/own -isystem %t.flat -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.linked.ll
// RUN: grep 'llvm.global.annotations =' %t.linked.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// RUN: %cpu-device -idirafter %t.flat/own -idirafter %t.flat -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.cpuflat.ll
// RUN: grep 'llvm.global.annotations =' %t.cpuflat.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// RUN: rm %t.flat/own/cuda_fp16.* && cp %toolkit-include/cuda_fp16.h %toolkit-include/cuda_fp16.hpp %t.flat/own
// RUN: %toolkit-device -isystem %t.flat/own -isystem %t.flat -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.flat.ll
// RUN: grep 'llvm.global.annotations =' %t.flat.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// A link elsewhere to one of them, under another name.
// RUN: rm -rf %t.one && mkdir %t.one && ln -s %toolkit-include/cuda_fp16.h %t.one/half.h
// RUN: sed 's|<cuda_fp16.h>|<half.h>|' %s > %t.one/source.cu
// RUN: %toolkit-device -I%S/Inputs -I%t.one -O1 -Xclang -disable-llvm-passes -S -emit-llvm %t.one/source.cu -o %t.one.ll
// RUN: grep 'llvm.global.annotations =' %t.one.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// Such a folder was on another machine.
// RUN: %toolkit-device -isystem %t.flat/own -isystem %t.flat -E %s -o - | sed -E 's|^(# [0-9]+ ")(/usr/local/\|%t.flat/)|\1/nowhere\2|' > %t.flat.i
// RUN: %clang-program -cc1 -load %plugin -triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu \
// RUN:   -target-sdk-version=12.9 -target-cpu sm_90 -target-feature +ptx80 -fcuda-is-device -std=c++20 \
// RUN:   -x cuda-cpp-output -O1 -disable-llvm-passes -emit-llvm %t.flat.i -o %t.flat.i.ll
// RUN: grep 'llvm.global.annotations =' %t.flat.i.ll | sed 's/@/\n@/g' | grep '^@_' | sort | FileCheck %s
// Nothing of it is left.
// RUN: %toolkit-device -I%S/Inputs -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=AFTER
// AFTER-NOT: llvm.global.annotations
// AFTER-NOT: kernix.own

#include <cuda_fp16.h>
#include <own/own_header.h>

struct S {
  float x;
  friend __device__ float __of_friend(S s) { return s.x; }
  __device__ float method() { return x; }
};
static __device__ float __of_static(float x) { return x; }
extern "C" {
__device__ float __of_c(float x) { return x; }
__device__ float __of_c_elsewhere(float x);
}
__device__ float __elsewhere(float x);
template <class T> __device__ T __of_template(T x) { return x; }
namespace space {
__device__ float __of_space(float x) { return x; }
} // namespace space

// CHECK: @_Z11__elsewheref,
// CHECK-NEXT: @_Z11__of_friend1S,
// CHECK-NEXT: @_Z13__from_headerf,
// CHECK-NEXT: @_Z6callerf1SP7__half2,
// CHECK-NEXT: @_ZL11__of_staticf,
// CHECK-NEXT: @__of_c,
// CHECK-NOT: @
__device__ float caller(float x, S s, __half2 *h) {
  *h = __hmul2(*h, *h);
  x = sinf(x) + __ldg(&x) + __shfl_sync(0xffffffffu, x, 0) + min(x, 2.0f);
  x += __of_friend(s) + s.method() + __of_static(x) + __of_c(x) + __of_c_elsewhere(x) + __elsewhere(x);
  return __of_template(x) + space::__of_space(x) + __from_header(x) + c_from_header(x);
}

/// Who launches it does not call it.
__global__ void kernel(float *x) { *x = 1; }
