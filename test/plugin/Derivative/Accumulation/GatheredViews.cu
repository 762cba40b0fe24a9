// Views with scratch memory: what loads come to in backward kernels, and the kernels that after() launches.
// RUN: %toolkit-device -Wno-unknown-cuda-version -O2 -S -o %t.s %s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=KERNELS
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -DTYPES %s 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -DSUMS %s 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -DCOMPLEX %s 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -fplugin-arg-kernix-deterministic %s 2>&1 | FileCheck %s --check-prefix=ORDER
// REQUIRES: cuda
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
using Replicated = kernix::DiffTensorViewR<float, 8>;
using Noted = kernix::DiffTensorViewASR<float, 4>;

// Nothing is called, and an atomic addition there is all the same: without scratch memory it goes to the gradient.
// CHECK-LABEL: .entry _Z10summed_bwdN6kernix15DiffTensorViewRIfLi8EEENS_16DiffTensorViewAAIfEES3_(
// CHECK-NOT: call
// CHECK: {{atom|red}}{{.*}}add.f32
// CHECK: ret;
// ORDER: error: cannot differentiate 'summed': 'load_at' adds to its gradient by atomic operations
[[kernix::bind, kernix::differentiable(backward)]] __global__ void summed(const Replicated w, const View x, View y) {
  y[threadIdx.x] = w.load(0) * x.loadUniform(threadIdx.x);
}

// CHECK-LABEL: .entry _Z9noted_bwdN6kernix17DiffTensorViewASRIfLi4EEENS_16DiffTensorViewAAIfEE(
// CHECK-NOT: call
// CHECK: ret;
// ORDER: error: cannot differentiate 'noted': 'load_at' adds to its gradient by atomic operations
[[kernix::bind, kernix::differentiable(backward)]] __global__ void noted(const Noted w, View y) {
  y[threadIdx.x] = w[threadIdx.x / 4] * w[0];
}

// Only what inputs need.
__global__ void finish(kernix::TensorView<float>) {}
struct Own : View {
  void after(cudaStream_t stream) const { finish<<<1, 1, 0, stream>>>(differential); }
};
[[kernix::bind, kernix::differentiable(backward)]] __global__ void own(const Own x, kernix::DiffTensorViewR<float, 77> y) {
  y[threadIdx.x] = x[threadIdx.x];
}
// KERNELS-NOT: reduce_replicasIfLi77E
// KERNELS-DAG: .entry _ZN6kernix6detail15reduce_replicasIfLi8EE
// KERNELS-DAG: .entry _ZN6kernix6detail13scatter_notesIfLi4EE
// KERNELS-DAG: .entry _Z6finish

#ifdef REFUSED
struct Private : View {
private:
  // REFUSED: :[[@LINE+1]]:8: error: 'after' of a differentiable view is called behind its backward kernel and has to be a public 'void after(cudaStream_t stream) const' for the host
  void after(cudaStream_t) const {}
};
[[kernix::bind]] __global__ void privately(const Private x, View y) { y[0] = x[0]; }
struct Mutable : View {
  // REFUSED: :[[@LINE+1]]:8: error: 'after' of a differentiable view
  void after(cudaStream_t) {}
};
[[kernix::bind]] __global__ void mutably(const Mutable x, View y) { y[0] = x[0]; }
struct OnDevice : View {
  // REFUSED: :[[@LINE+1]]:19: error: 'after' of a differentiable view
  __device__ void after(cudaStream_t) const {}
};
[[kernix::bind]] __global__ void on_device(const OnDevice x, View y) { y[0] = x[0]; }
struct WithoutStream : View {
  // REFUSED: :[[@LINE+1]]:8: error: 'after' of a differentiable view
  void after() const {}
};
[[kernix::bind]] __global__ void without_stream(const WithoutStream x, View y) { y[0] = x[0]; }
struct Field : View {
  // REFUSED: :[[@LINE+1]]:14: error: 'after' of a differentiable view
  static int after;
};
[[kernix::bind]] __global__ void field(const Field x, View y) { y[0] = x[0]; }
struct More : Replicated {
  float *more;
};
// REFUSED: :[[@LINE+1]]:50: error: 'x' of type 'More' cannot be bound: it has fields of its own
[[kernix::bind]] __global__ void more(const More x, View y) { y[0] = x[0]; }
#endif

#ifdef TYPES
// TYPES: error: static assertion failed{{.*}}kernix: integers have no gradient; use DiffTensorViewAA
[[kernix::bind]] __global__ void integers(const kernix::DiffTensorViewR<int, 2> x, View y) { y[0] = x[0]; }
// TYPES: error: static assertion failed{{.*}}kernix: a thread has at least one note
[[kernix::bind]] __global__ void nothing(const kernix::DiffTensorViewASR<float, 0> x, View y) { y[0] = x[0]; }
#endif

#ifdef SUMS
// SUMS: error: static assertion failed{{.*}}kernix: a gradient is of float, double, __half, __nv_bfloat16, float2, float3 or float4
[[kernix::bind, kernix::differentiable]] __global__ void pairs(const kernix::DiffTensorViewAA<double2> x, View y) {
  y[0] = x.load(0).x;
}
#endif

#ifdef COMPLEX
#include <complex>
// COMPLEX: error: static assertion failed{{.*}}or float4; of other elements take a kernix::TensorView
using Complex = kernix::DiffTensorViewAA<std::complex<float>>;
[[kernix::bind, kernix::differentiable]] __global__ void complexes(const Complex x, View y) { y[0] = x.load(0).real(); }
#endif
