// Shims as libNVVM reads them, LLVM 7's text: pointers have types, newer instructions are spelt out. What has no such text,
// or writes variables, is left to PTX.
// RUN: %clang --config=%root/share/kernix/kernix-numba.cfg -nocudainc -nocudalib -isystem %inputs --cuda-gpu-arch=sm_90 \
// RUN:   -include cuda.h -fplugin-arg-kernix-unit=a -fplugin-arg-kernix-nvvm=%t.json -O2 -S -o %t.ptx -x cuda %s
// RUN: sed -e 's/\\n/\n/g' %t.json > %t.txt
// RUN: FileCheck %s --input-file=%t.txt
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
#include <kernix/kernix.h>

// CHECK-DAG: define linkonce_odr i32 @kernix_numba_{{[0-9a-f]+}}(i8* %v0, float %v1) alwaysinline nounwind {{[{]$}}
// CHECK-DAG: %v[[PRODUCT:[0-9]+]] = fmul{{.*}} float %v1, %v1{{$}}
// CHECK-DAG: %x[[PLACE:[0-9]+]] = bitcast i8* %v0 to float*{{$}}
// CHECK-DAG: store float %v[[PRODUCT]], float* %x[[PLACE]], align 4{{$}}
[[kernix::bind]] __device__ float scalar(float x) { return x * x; }

// CHECK-DAG: %x[[NEGATIVE:[0-9]+]] = icmp slt i32 %v1, 0{{$}}
// CHECK-DAG: %x[[OTHER:[0-9]+]] = sub i32 0, %v1{{$}}
// CHECK-DAG: select i1 %x[[NEGATIVE]], i32 %x[[OTHER]], i32 %v1{{$}}
[[kernix::bind]] __device__ int absolute(int x) { return __builtin_abs(x); }

// Tables are constants of the text's own.
// CHECK-DAG: @{{.*}}table{{.*}} = internal {{.*}}constant [4 x i32] [i32 2, i32 3, i32 5, i32 7]{{, align 4$}}
static __device__ constexpr int table[4] = {2, 3, 5, 7};
[[kernix::bind]] __device__ int prime(unsigned i) { return table[i & 3]; }

// Functions of the text have names of their own: libNVVM knows some, of libdevice.
// CHECK-DAG: call float @kernix.__nv_fabsf(float %v1){{$}}
// CHECK-DAG: define internal float @kernix.__nv_fabsf(float %v0) nounwind {{[{]$}}
extern "C" __device__ __attribute__((noinline)) float __nv_fabsf(float x) { return x < 0 ? -x : x; }
[[kernix::bind]] __device__ float absolute_of_float(float x) { return __nv_fabsf(x); }

// A signaling NaN would be a quiet one as double.
// CHECK-DAG: select i1 %v{{[0-9]+}}, float bitcast (i32 2139095045 to float), float %v1{{$}}
[[kernix::bind]] __device__ float not_a_number(float x) { return x > 1 ? __builtin_nansf("5") : x; }

// CHECK-DAG: %x[[FITS:[0-9]+]] = icmp uge i32 %x[[SUM:[0-9]+]], %v1{{$}}
// CHECK-DAG: select i1 %x[[FITS]], i32 %x[[SUM]], i32 -1{{$}}
[[kernix::bind]] __device__ unsigned saturating(unsigned x, unsigned y) { return x + y < x ? 0xffffffffU : x + y; }

// CHECK-DAG: call i32 asm sideeffect \"mov.u32 $0, $1;\", \"=r,r\"(i32 %v1) convergent{{$}}
// CHECK-DAG: define linkonce_odr i32 @kernix_numba_{{[0-9a-f]+}}(i8* %v0, i32 %v1) alwaysinline convergent nounwind
[[kernix::bind]] __device__ int moved(int x) {
  int y;
  asm volatile("mov.u32 %0, %1;" : "=r"(y) : "r"(x));
  return y;
}

// CHECK-NOT: counter
// PTX: .global {{.*}}counter
__device__ int counter;
[[kernix::bind]] __device__ int counted(int x) { return counter += x; }
// PTX-COUNT-8: .visible .func (.param .b32 func_retval0) kernix_numba_
