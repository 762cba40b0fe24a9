// Two files with one header of differentiable templates, linked together: instances in both have the same derivatives.
// RUN: rm -rf %t && mkdir %t
// RUN: %cpu-host -fplugin-arg-kernix-unit=first -c %s -o %t/first.host.o
// RUN: %cpu-device -fplugin-arg-kernix-unit=first -c %s -o %t/first.device.o
// RUN: %cpu-host -fplugin-arg-kernix-unit=second -c %s -o %t/second.host.o
// RUN: %cpu-device -fplugin-arg-kernix-unit=second -c %s -o %t/second.device.o
// RUN: %clang -shared %t/first.host.o %t/first.device.o %t/second.host.o %t/second.device.o -Wl,--unresolved-symbols=ignore-all -o %t/linked.so
// RUN: llvm-nm -D --defined-only %t/linked.so | FileCheck %s
// RUN: %cuda-host -S -emit-llvm %s -o - | FileCheck %s --check-prefix=HOST --implicit-check-not="define dso_local"
// RUN: %cuda-device -fgpu-rdc -S -emit-llvm %s -o - | FileCheck %s --check-prefix=DEVICE --implicit-check-not="define dso_local"
// REQUIRES: cpu
#include <kernix/kernix.h>

#include "Inputs/linked_derivatives.h"

// CHECK-DAG: device_stub__kernel_fwd_{{[0-9a-f]+}}
// CHECK-DAG: device_stub__kernel_bwd_{{[0-9a-f]+}}_bwd
// HOST-DAG: define linkonce_odr {{.*}}__device_stub__kernel_fwd_{{[0-9a-f]+}}
// HOST-DAG: define linkonce_odr {{.*}}__device_stub__kernel_bwd_{{[0-9a-f]+}}_fwd
// HOST-DAG: define linkonce_odr {{.*}}__device_stub__named_bwd_{{[0-9a-f]+}}
// HOST-DAG: define linkonce_odr {{.*}}__device_stub__explicitly_bwd_{{[0-9a-f]+}}
// HOST-DAG: define linkonce_odr {{.*}}host_bwd
// DEVICE-DAG: define weak_odr {{.*}}kernel_bwd_{{[0-9a-f]+}}_fwd
// DEVICE-DAG: define weak_odr {{.*}}named_bwd_{{[0-9a-f]+}}
// DEVICE-DAG: define linkonce_odr {{.*}}device_bwd
