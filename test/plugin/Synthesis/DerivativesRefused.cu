// What has no derivative, or none yet, is an error where it is written.
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DNAME %s 2>&1 | FileCheck %s --check-prefix=NAME --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DVOLATILE %s 2>&1 | FileCheck %s --check-prefix=VOLATILE --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DLAUNCH %s 2>&1 | FileCheck %s --check-prefix=LAUNCH --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DBY_CONSTRUCTOR %s 2>&1 | FileCheck %s --check-prefix=CONSTRUCTOR --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DBY_DESTRUCTOR %s 2>&1 | FileCheck %s --check-prefix=DESTRUCTOR --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DBY_MEMBER %s 2>&1 | FileCheck %s --check-prefix=MEMBER --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DBY_DEFAULT %s 2>&1 | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DUNTYPED %s 2>&1 | FileCheck %s --check-prefix=UNTYPED --implicit-check-not=error:
// RUN: not %cuda-device -S -o /dev/null -Xclang -disable-llvm-passes -DPASSES %s 2>&1 | FileCheck %s --check-prefix=PASSES --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DSECOND %s 2>&1 | FileCheck %s --check-prefix=SECOND --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DMIXED %s 2>&1 | FileCheck %s --check-prefix=MIXED --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DKERNEL %s 2>&1 | FileCheck %s --check-prefix=KERNEL --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DGRID %s 2>&1 | FileCheck %s --check-prefix=GRID --implicit-check-not=error:
#include <kernix/kernix.h>

#if defined(NAME)
__global__ void taken_bwd(const float *x, float *gx, float *y, const float *gy);
[[kernix::bind, kernix::differentiable]] __global__ void taken(const float *x, float *y) { *y = *x; }
// NAME: :[[@LINE-1]]:3: error: 'taken_bwd' is declared for the backward derivative of 'taken', but there is such a declaration
// NAME: :[[@LINE-3]]:17: note: declared here; give it another name, or name it as the derivative with {{\[\[}}kernix::backward_derivative(taken_bwd)]]

#elif defined(VOLATILE)
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const volatile float *x, float *y) { *y = *x; }
// VOLATILE: :[[@LINE-1]]:87: error: 'x' is volatile and cannot have a gradient

#elif defined(LAUNCH)
__global__ void kernel(float *y) { *y = 1; }
void inner(float *y) { kernel<<<1, 1>>>(y); }
[[kernix::bind, kernix::differentiable]] void outer(const kernix::TensorView<float> x, kernix::TensorView<float> y) {
  if (x.numel() > 0) {
    inner(&y[0]);
  }
}
// LAUNCH: :[[@LINE-3]]:5: error: 'outer' launches a kernel and cannot be differentiated
// LAUNCH: :[[@LINE-6]]:3: note: name a derivative that you write with {{\[\[}}kernix::forward_derivative(...)]]

#elif defined(BY_CONSTRUCTOR) || defined(BY_DESTRUCTOR) || defined(BY_MEMBER) || defined(BY_DEFAULT)
__global__ void kernel(float *y) { *y = 1; }
inline int inner(float *y) {
  kernel<<<1, 1>>>(y);
  return 0;
}
struct Constructor {
  int k;
  Constructor(float *y) : k(inner(y)) {}
};
struct Destructor {
  float *y;
  ~Destructor() { kernel<<<1, 1>>>(y); }
};
struct Member {
  float *y;
  int k = inner(y);
};
float result;
inline void by_default(int k = inner(&result)) {}
[[kernix::bind, kernix::differentiable]] void outer(const kernix::TensorView<float> x, kernix::TensorView<float> y) {
#ifdef BY_CONSTRUCTOR
  Constructor at(&y[0]);
// CONSTRUCTOR: :[[@LINE-1]]:15: error: 'outer' launches a kernel and cannot be differentiated
#elif defined(BY_DESTRUCTOR)
  Destructor at{&y[0]};
// DESTRUCTOR: :[[@LINE-1]]:3: error: 'outer' launches a kernel and cannot be differentiated
#elif defined(BY_MEMBER)
  Member at{&y[0]};
// MEMBER: :[[@LINE-1]]:18: error: 'outer' launches a kernel and cannot be differentiated
#else
  by_default();
// DEFAULT: :[[@LINE-1]]:3: error: 'outer' launches a kernel and cannot be differentiated
#endif
}

#elif defined(UNTYPED)
[[kernix::bind, kernix::differentiable]] void untyped(const kernix::Tensor x, kernix::Tensor y) {
  y.data_ptr<float>()[0] = 1;
}
// UNTYPED: :[[@LINE-3]]:76: error: 'x' has its element type only at run time, and a derivative needs it
// UNTYPED: :[[@LINE-4]]:76: note: use kernix::TensorView<T>, mark it {{\[\[}}kernix::no_diff]], or name a derivative that you write with {{\[\[}}kernix::forward_derivative(...)]]

#elif defined(TWICE)
template <class T> __global__ void kernel(const T *x, T *y) { *y = *x; }
[[kernix::bind("a"), kernix::differentiable]] constexpr auto a = kernel<float>;
// TWICE: :[[@LINE+2]]:3: error: 'kernel<float>' is bound under two names, and differentiable under both; let one of them be
// TWICE: :[[@LINE-2]]:3: note: its forward derivative is declared here
[[kernix::bind("b"), kernix::differentiable]] constexpr auto b = kernel<float>;

#elif defined(SECOND)
__global__ void backward(const float *x, float *gx, float *y, const float *gy) { *gx += *gy; }
[[kernix::bind, kernix::differentiable(2), kernix::backward_derivative(backward)]]
// SECOND: :[[@LINE-1]]:3: error: the backward derivative of 'kernel' is written by hand and has no derivative of its own, which 'differentiable(2)' asks for
// SECOND: :[[@LINE-3]]:17: note: bind 'backward' with {{\[\[}}kernix::differentiable]] to differentiate it
__global__ void kernel(const float *x, float *y) { *y = *x; }

#elif defined(MIXED)
struct Mixed {
  float a;
  int k;
};
struct Two {
  double a, b;
};
[[kernix::bind, kernix::differentiable(2)]] __global__ void positive(const double *x, [[kernix::diff]] Two s, Mixed m, double *y) {
  *y = s.a * s.b * *x * m.a * m.k;
}
[[kernix::bind, kernix::differentiable(2)]] __global__ void kernel(const float *x, [[kernix::diff]] Mixed s, float *y) {
  // MIXED: :[[@LINE-1]]:107: error: 's' of type 'Mixed' has fields of several types, and its gradient has no derivative
  // MIXED: :[[@LINE-2]]:107: note: give its fields as parameters of their own, or mark it {{\[\[}}kernix::no_diff]]; first derivatives have it without that
  *y = s.a * s.a * *x * s.k;
}

#elif defined(KERNEL)
void host(const float *x, float *gx, float *y, const float *gy) {}
[[kernix::bind, kernix::backward_derivative(host)]] __global__ void first(const float *x, float *y) { *y = *x; }
// KERNEL: :[[@LINE-1]]:17: error: 'first' is a kernel and needs a kernel as its backward derivative, which 'host' is not

#elif defined(GRID)
// In terms of its own names.
[[kernix::grid("ceil_div(n, 64)")]]
// GRID: :[[@LINE-1]]:26: error: in 'ceil_div(n, 64)': {{.*}}'n'
__global__ void backward(const float *x, float *gx, float *y, const float *gy, int count) {}
[[kernix::bind, kernix::backward_derivative(backward)]] __global__ void second(const float *x, float *y, int n) { *y = *x; }

#elif defined(PASSES)
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, float *y) { *y = *x; }
// PASSES: :[[@LINE-1]]:3: error: kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with -save-temps or -disable-llvm-passes

#else
[[kernix::bind, kernix::differentiable]] __global__ void negativeInput(const int *x, float *y, float a) { *y = a; }
// CHECK: :[[@LINE-1]]:3: error: 'negativeInput' is differentiable but has no floating-point input to differentiate by
// CHECK: :[[@LINE-2]]:102: note: a scalar of a kernel has a gradient if it is marked {{\[\[}}kernix::diff]]
[[kernix::bind, kernix::differentiable]] __global__ void negativeOutput(const float *x, int *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:3: error: 'negativeOutput' is differentiable but has no floating-point output
struct Numbers {
  int a, b;
};
[[kernix::bind, kernix::differentiable]] __global__ void
negativeStruct(const float *x, float *y, [[kernix::diff]] Numbers n) { *y = *x; }
// CHECK: :[[@LINE-1]]:44: error: 'n' has no floating-point value and no gradient
// What is kept in scratch memory until the kernel is done.
[[kernix::bind, kernix::differentiable]] __device__ void
negativeDevice([[kernix::diff(replicated, 4)]] const float *x, float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:18: error: 'diff(replicated)' of 'x' is not possible: only the launch of a kernel has memory for it
// CHECK: :[[@LINE-2]]:18: note: without the word the compiler chooses how reads of 'x' accumulate
[[kernix::bind, kernix::differentiable]] __global__ void
negativeWritten([[kernix::diff(scatter, 4), kernix::intent(inout_ptr)]] float *x) { *x *= *x; }
// CHECK: :[[@LINE-1]]:19: error: 'diff(scatter)' of 'x' is not possible: it is written too, and its gradient comes in with a value
struct Pair {
  float a;
  double b;
};
[[kernix::bind, kernix::differentiable]] __global__ void
negativePair([[kernix::diff(replicated, 4)]] Pair p, const float *x, float *y) { *y = *x * p.a; }
// CHECK: :[[@LINE-1]]:16: error: 'diff(replicated)' of 'p' is not possible: it is a struct; give its members as parameters
[[kernix::bind, kernix::differentiable]] __global__ void
negativeNarrow([[kernix::diff(scatter, 4)]] const _Float16 *x, float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:18: error: 'diff(scatter)' of 'x' is not possible: numbers of 16 bits would be rounded at each addition; write diff(replicated, N)
[[kernix::bind, kernix::differentiable]] __global__ void
negativeMany([[kernix::diff(replicated, 65537)]] const float *x, float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:16: error: 'diff(replicated)' of 'x' is not possible: more than 65536 are not meant
template <int N> [[kernix::bind, kernix::differentiable, kernix::instantiate("40000")]] __global__ void
negativeManyOfTemplate([[kernix::diff(scatter, 2 * N)]] const float *x, float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:26: error: 'diff(scatter)' of 'x' is not possible: more than 65536 are not meant
template <int N> [[kernix::bind, kernix::differentiable, kernix::instantiate("3")]] __global__ void
negativeNoneOfTemplate([[kernix::diff(scatter, N - 3)]] const float *x, float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: error: 'kernix::diff' needs an integer of at least 1, not 0
[[kernix::bind, kernix::differentiable]] __global__ void
onlyWritten(const float *x, [[kernix::diff(unique)]] float *y) { *y = *x; }
// CHECK: :[[@LINE-1]]:31: warning: 'kernix::diff(unique)' has no effect: 'y' is only written, so that nothing is added to its gradient [-Wkernix-no-effect]
[[kernix::bind, kernix::differentiable]] __device__ void
negativeArray(float x, [[kernix::intent(out_array_return, 2)]] float *y) { y[0] = y[1] = x; }
// CHECK: :[[@LINE-1]]:71: error: the derivative of a result by 'out_array_return' is not available yet
// CHECK: :[[@LINE-2]]:71: note: return a struct, or mark 'y' {{\[\[}}kernix::no_diff]]
#endif
