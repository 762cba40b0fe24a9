// Shims as libNVVM reads them, LLVM 7's text: pointers have types, newer instructions are spelt out. What has no such text,
// or writes variables, is left to PTX.
// RUN: %clang --config=%root/share/kernix/kernix-numba.cfg -nocudainc -nocudalib -isystem %inputs --cuda-gpu-arch=sm_90 \
// RUN:   -include cuda.h -fplugin-arg-kernix-unit=a -fplugin-arg-kernix-nvvm=%t.json -O2 -S -o %t.ptx -x cuda %s
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
#include <kernix/kernix.h>

// CHECK-DAG: define linkonce_odr i32 @kernix_numba_{{[0-9a-f]+}}(i8* %v0, float %v1) alwaysinline nounwind {{[{]}}\nb{{[0-9]+}}:\n  %v{{[0-9]+}} = fmul{{.*}}float %v1, %v1\n  %x{{[0-9]+}} = bitcast i8* %v0 to float*\n  store float %v{{[0-9]+}}, float* %x{{[0-9]+}}, align 4\n  ret i32 0\n
[[kernix::bind]] __device__ float scalar(float x) { return x * x; }

// CHECK-DAG: icmp slt i32 %v1, 0\n{{.*}}sub i32 0, %v1\n{{.*}}select i1
[[kernix::bind]] __device__ int absolute(int x) { return __builtin_abs(x); }

// Tables are constants of the text's own.
// CHECK-DAG: @{{.*}}table{{.*}} = internal {{.*}}constant [4 x i32] [i32 2, i32 3, i32 5, i32 7], align 4\n
static __device__ constexpr int table[4] = {2, 3, 5, 7};
[[kernix::bind]] __device__ int prime(unsigned i) { return table[i & 3]; }

// CHECK-NOT: counter
// PTX: .global {{.*}}counter
__device__ int counter;
[[kernix::bind]] __device__ int counted(int x) { return counter += x; }
// PTX-COUNT-4: .visible .func (.param .b32 func_retval0) kernix_numba_
