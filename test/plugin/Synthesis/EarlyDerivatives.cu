// What parameters of derivatives are is known when the templates that are called have been instantiated, at the end.
// Derivatives of functions in namespaces are declared before.
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s
// RUN: not %cuda-host -fsyntax-only -DNEGATIVE %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
#include <kernix/kernix.h>

template <class T> __device__ void put(T *p, T v) { *p = v; }
namespace space {
[[kernix::bind, kernix::differentiable(backward)]] __global__ void kernel(const float *x, float *y) { put(y, *x); }
[[kernix::bind, kernix::differentiable(backward)]] __global__ void later(const float *x, const float *w, float *y) {
  put(y, *x * *w);
}
__global__ void later(const float *x, [[kernix::no_diff]] const float *w, float *y);
} // namespace space
using space::kernel_bwd;
// CHECK-DAG: define dso_local ptx_kernel void @_ZN5space10kernel_bwdEPKfPfS2_S1_(
// CHECK-DAG: define dso_local ptx_kernel void @_ZN5space9later_bwdEPKfPfS1_S2_S1_(

#ifdef NEGATIVE
void launch(const float *x, float *gx, float *y, float *gy) { kernel_bwd<<<1, 1>>>(x, gx, y, gy); }
// NEGATIVE: :[[@LINE-12]]:3: error: 'kernel_bwd' was used as 'void (const float *, float *, float *, float *)' before attributes of 'kernel', or templates that it calls, made it 'void (const float *, float *, float *, const float *)'
// NEGATIVE: :[[@LINE-13]]:98: note: {{\[\[}}kernix::intent(out_ptr)]] on 'y' says it in time
#endif
