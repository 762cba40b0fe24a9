// Two files with one header of bound functions, linked together: one entry per function, none lost to --gc-sections.
// RUN: rm -rf %t && mkdir %t
// RUN: %cpu-host -DFIRST -fplugin-arg-kernix-unit=first -c %s -o %t/first.host.o
// RUN: %cpu-device -DFIRST -fplugin-arg-kernix-unit=first -c %s -o %t/first.device.o
// RUN: %cpu-host -fplugin-arg-kernix-unit=second -c %s -o %t/second.host.o
// RUN: %cpu-device -fplugin-arg-kernix-unit=second -c %s -o %t/second.device.o
// RUN: %clang -shared %t/first.host.o %t/first.device.o %t/second.host.o %t/second.device.o -Wl,--unresolved-symbols=ignore-all -o %t/bfd.so
// RUN: %clang -shared -fuse-ld=lld -Wl,--gc-sections %t/first.host.o %t/first.device.o %t/second.host.o %t/second.device.o -Wl,--unresolved-symbols=ignore-all -o %t/lld.so
// RUN: llvm-readelf -S --wide %t/bfd.so | FileCheck %s
// RUN: llvm-readelf -S --wide %t/lld.so | FileCheck %s
// RUN: llvm-nm -D --defined-only %t/lld.so | FileCheck %s --check-prefix=SYMBOLS
// REQUIRES: cpu
#include <kernix/kernix.h>

// Seven entries of eight bytes: inFirst and static once per file that has them, everything else once.
// CHECK: kernix_functions PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000038
#include "Inputs/linked.h"
#ifdef FIRST
__global__ void definedInFirst(float *y) { *y = 1; }
int hostDefinedInFirst(int x) { return x; }
#endif

// SYMBOLS-DAG: __tvm_ffi_kernel
// SYMBOLS-DAG: kernix_info_definedInFirst
// SYMBOLS-DAG: kernix_info_internal
// SYMBOLS-DAG: kernix_module_info
// SYMBOLS-NOT: __kernix_
