// Derivatives of kernels whose views carry their gradients: one C++ parameter each, and what is refused inside.
// RUN: %toolkit-device -Wno-unknown-cuda-version -O2 -S -o - %s | FileCheck %s
// RUN: not %toolkit-device -Wno-unknown-cuda-version -O2 -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -DOBJECTS %s 2>&1 | FileCheck %s --check-prefix=OBJECTS
// RUN: not %toolkit-device -Wno-unknown-cuda-version -S -o /dev/null -fplugin-arg-kernix-deterministic %s 2>&1 | FileCheck %s --check-prefix=ORDER
// REQUIRES: cuda
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;

// Rules are inlined; each gradient is added to in its own way.
// CHECK-NOT: .extern .func
// CHECK-LABEL: .entry _Z8sums_bwdN6kernix16DiffTensorViewAAIfEES1_S1_S1_S1_(
// CHECK-NOT: call
// CHECK-DAG: match.any.sync
// CHECK-DAG: atom{{.*}}add.f32
// CHECK-DAG: st.global
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]] __global__ void sums(const View x, const View w, const View u,
                                                                        const View once, View y) {
  int i = threadIdx.x;
  // ORDER: :[[@LINE+2]]:{{[0-9]+}}: error: cannot differentiate 'sums': 'load_at' adds to its gradient by atomic operations; a deterministic build adds in a fixed order; use loadUniform where no two threads read one element, or kernix::TensorView
  // ORDER-NOT: load_uniform
  y[i] = x[i] * w.loadFixed(0) + u.loadUniform(i) * once.loadUniformOnce(i);
}

// A loop stays what it is.
// CHECK-LABEL: .entry _Z9loops_fwdN6kernix16DiffTensorViewAAIfEES1_i(
// CHECK-NOT: call
[[kernix::bind, kernix::differentiable(forward)]] __global__ void loops(const View x, View y, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x.load(k);
  y[threadIdx.x] = sum;
}

#ifdef REFUSED
// REFUSED: :[[@LINE+2]]:5: error: cannot differentiate 'all': all threads store to one element of 'y'; guard the call so that one thread does it, or atomicAdd to a kernix::TensorView
[[kernix::bind, kernix::differentiable]] __global__ void all(const View x, View y) {
  y.store(0, x.load(threadIdx.x));
}

// REFUSED: :[[@LINE+2]]:25: error: cannot differentiate 'values':
[[kernix::bind, kernix::differentiable]] __global__ void values(const View x, View y) {
  y.primal[threadIdx.x] = x.load(threadIdx.x);
}

// REFUSED: :[[@LINE+4]]:{{[0-9]+}}: error: cannot differentiate 'over': one element of 'y' may be stored to twice, and a value that is overwritten would have a gradient too; keep it in a local variable, and store that once
[[kernix::bind, kernix::differentiable]] __global__ void over(const View x, View y) {
  y.store(threadIdx.x, x[threadIdx.x]);
  if (x[threadIdx.x] > 0)
    y.store(threadIdx.x, 2 * x[threadIdx.x]);
}

// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'last': one element of 'y' may be stored to twice
[[kernix::bind, kernix::differentiable]] __global__ void last(const View x, View y, int n) {
  for (int k = 0; k < n; ++k)
    y.store(threadIdx.x, x[k]);
}

// A mask or a narrow type brings the index back to an element that has been stored.
// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'masked': one element of 'y' may be stored to twice
[[kernix::bind, kernix::differentiable]] __global__ void masked(const View x, View y, int n) {
  for (int k = 0; k < n; ++k)
    y.store(make_int2(threadIdx.x, k & 3), x[k]);
}

// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'byte': one element of 'y' may be stored to twice
[[kernix::bind, kernix::differentiable]] __global__ void byte(const View x, View y, int n) {
  for (int k = 0; k < n; ++k)
    y.store(make_int2(threadIdx.x, static_cast<unsigned char>(k)), x[k]);
}

// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'pairs': one element of 'y' may be stored to twice
[[kernix::bind, kernix::differentiable]] __global__ void pairs(const View x, View y, int n) {
  for (int k = 0; k < n; ++k)
    y.store(k / 2, x[k]);
}

// REFUSED-NOT: cannot differentiate 'rows'
[[kernix::bind, kernix::differentiable]] __global__ void rows(const View x, View y, View z, int n) {
  for (int k = 0; k < n; ++k)
    y.store(make_uint2(threadIdx.x, k), x[k]);
  z.store(make_uint2(threadIdx.x, 0), x[0]);
  z.store(make_uint2(threadIdx.x, 1), x[1]);
}

// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'one_of_two': the object whose 'load_at' is called is one of several here: choose between what each gives, as in c ? x.load(i) : w.load(i)
[[kernix::bind, kernix::differentiable]] __global__ void one_of_two(const View x, const View w, View y) {
  const View &either = threadIdx.x & 1 ? x : w;
  y[threadIdx.x] = either.load(threadIdx.x);
}

// What the source reads without a derivative of its own would be a constant in silence.
struct Plain : kernix::DiffTensorView<float> {
  // REFUSED: :[[@LINE+1]]:45: error: cannot differentiate 'members': a number of the view 'x' is read, and nothing gives it a derivative; read it with load, give the member around it {{\[\[}}kernix::backward_derivative(...)]] and {{\[\[}}kernix::forward_derivative(...)]], or let a variable marked {{\[\[}}kernix::no_diff]] hold it
  __device__ float at(int i) const { return primal(i); }
  __device__ kernix::Dual<float> known_fwd(int i) const { return {primal(i), differential(i)}; }
  // REFUSED: :[[@LINE+1]]:98: error: cannot differentiate 'members': a number of the view 'x' is read
  [[kernix::forward_derivative(&Plain::known_fwd)]] __device__ float known(int i) const { return primal(i); }
  [[kernix::no_diff]] __device__ float constant(int i) const { return primal(i); }
};
[[kernix::bind, kernix::differentiable]] __global__ void members(const Plain x, View y) {
  y.store(threadIdx.x, x.at(threadIdx.x) + x.known(0));
}

// REFUSED: :[[@LINE+3]]:28: error: cannot differentiate 'pointer': a number of the view 'x' is read
[[kernix::bind, kernix::differentiable(backward)]] __global__ void pointer(const View x, View y) {
  const float *numbers = x.primal.data();
  y.store(threadIdx.x, 2 * numbers[threadIdx.x]);
}

// REFUSED: :[[@LINE+3]]:39: error: cannot differentiate 'words': a number of the view 'x' is read
[[kernix::bind, kernix::differentiable(backward)]] __global__ void words(const View x, View y) {
  auto words = reinterpret_cast<const int *>(x.primal.data());
  y.store(threadIdx.x, __int_as_float(words[threadIdx.x]));
}

__device__ float scaled(const View x, float w) { return x.primal(0) * w; }
// REFUSED: :[[@LINE-1]]:57: error: cannot differentiate 'scaled': a number of the view 'x' is read
[[kernix::bind]] __global__ void in_code(const View x, float *gradient) {
  kernix::bwd_diff<scaled>(x, 3.0f, &gradient[threadIdx.x], 1.0f);
}

// REFUSED-NOT: cannot differentiate 'said'
// REFUSED-NOT: cannot differentiate 'integers'
[[kernix::bind, kernix::differentiable]] __global__ void said(const Plain x, [[kernix::no_diff]] const View w,
                                                              [[kernix::no_diff]] float *log, View y) {
  [[kernix::no_diff]] float first = x.primal(0);
  log[threadIdx.x] = x.primal(threadIdx.x);
  if (x.primal(threadIdx.x) > 0)
    y.store(threadIdx.x, first * x.constant(1) * w.primal(2) * w.load(threadIdx.x));
}
[[kernix::bind, kernix::differentiable]] __global__ void integers(const kernix::DiffTensorViewAA<int> k, const View x,
                                                                  View y) {
  y.store(threadIdx.x, k.primal(threadIdx.x) * x[threadIdx.x]);
}
#endif

#ifdef OBJECTS
struct Virtual : View {
  __device__ virtual void f() {}
};
// OBJECTS: :[[@LINE+1]]:52: error: 'x' of type 'Virtual' cannot be bound: it has virtual members or bases
[[kernix::bind]] __global__ void virtuals(Virtual  x, View y) { y[0] = x[0]; }

struct Copied : View {
  __device__ Copied(const Copied &);
};
// OBJECTS: :[[@LINE+1]]:50: error: 'x' of type 'Copied' cannot be bound: it is not trivially copyable
[[kernix::bind]] __global__ void copied(Copied   x, View y) { y[0] = x[0]; }
#endif
