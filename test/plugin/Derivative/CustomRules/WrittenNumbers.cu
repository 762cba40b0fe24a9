// Numbers that a function with a derivative of its own writes where that has no gradient for them: an output that depends
// on them would lose what they depend on.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#define FORWARD [[kernix::bind, kernix::differentiable(forward)]] __global__

struct Sum {
  double sum, scale;
  int count;
  __device__ void add_bwd(double x, double *gx) { *gx += x; }
  __device__ void add_fwd(double x, double dx) { sum += x; }
  [[kernix::backward_derivative(&Sum::add_bwd), kernix::forward_derivative(&Sum::add_fwd)]] __device__ void
  add(double x) {
    sum += x;
    ++count;
  }
  __device__ void next_bwd(double x, double *gx, double g) { *gx += g; }
  __device__ kernix::Dual<double> next_fwd(double x, double dx) { return {sum += x, dx}; }
  [[kernix::backward_derivative(&Sum::next_bwd), kernix::forward_derivative(&Sum::next_fwd)]] __device__ double
  next(double x) {
    return sum += x;
  }
  __device__ void times_bwd(double x, double *gx, double g) const { *gx += sum * g; }
  [[kernix::backward_derivative(&Sum::times_bwd)]] __device__ double times(double x) const { return sum * x; }
};

// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_object': an output depends on a number that 'add' writes to 'self', for which its own derivative has no gradient; write that as a function that takes the object and its gradient
BACKWARD void negative_object(const double *x, double *y) {
  Sum s{2, 3, 0};
  s.add(x[threadIdx.x]);
  y[threadIdx.x] = s.sum;
}
// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_tangent': an output depends on a number that 'add' writes to 'self'
FORWARD void negative_tangent(const double *x, double *y) {
  Sum s{2, 3, 0};
  s.add(x[threadIdx.x]);
  y[threadIdx.x] = s.sum;
}
// CHECK: :[[@LINE+3]]:16: error: cannot differentiate 'negative_result': an output depends on a number that 'next' writes to 'self'
BACKWARD void negative_result(const double *x, double *y) {
  Sum s{2, 3, 0};
  double r = s.next(x[threadIdx.x]);
  y[threadIdx.x] = r + s.sum;
}
// CHECK: :[[@LINE+3]]:16: error: cannot differentiate 'negative_result_tangent': an output depends on a number that 'next' writes to 'self'
FORWARD void negative_result_tangent(const double *x, double *y) {
  Sum s{2, 3, 0};
  double r = s.next(x[threadIdx.x]);
  y[threadIdx.x] = r + s.sum;
}
// By way of another member, whose derivative has no gradient for it either.
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_by_member': numbers with a derivative are in 'self', for which the derivative of 'times' has no gradient; write it as a function that takes the object and its gradient{{$}}
BACKWARD void negative_by_member(const double *x, double *y) {
  Sum s{2, 3, 0};
  s.add(x[threadIdx.x]);
  y[threadIdx.x] = s.times(3);
}
// What it keeps of an earlier call, which it may need or not.
struct Squarer {
  double last;
  __device__ void square_bwd(double x, double *gx, double g) const { *gx += 2 * x * g; }
  [[kernix::backward_derivative(&Squarer::square_bwd)]] __device__ double square(double x) { return last = x * x; }
};
// CHECK: :[[@LINE+3]]:49: error: cannot differentiate 'negative_kept': numbers with a derivative are in 'self', for which the derivative of 'square' has no gradient; write it as a function that takes the object and its gradient, or, where 'square' writes them itself before it reads them, mark the variable
BACKWARD void negative_kept(const double *x, double *y) {
  Squarer s{0};
  y[threadIdx.x] = s.square(x[threadIdx.x]) + s.square(x[threadIdx.x] + 1);
}
// CHECK: error: cannot differentiate 'negative_kept_in_loop': numbers with a derivative are in 'self'{{.*}}, or, where 'square' writes them itself before it reads them, mark the variable
BACKWARD void negative_kept_in_loop(const double *x, double *y) {
  Squarer s{0};
  double t = x[threadIdx.x];
  for (int i = 0; i < 3; ++i)
    t = s.square(t);
  y[threadIdx.x] = t;
}
BACKWARD void positive_kept(const double *x, double *y) {
  [[kernix::no_diff]] Squarer s{0};
  double t = x[threadIdx.x];
  for (int i = 0; i < 3; ++i)
    t = s.square(t);
  y[threadIdx.x] = t;
}
// What it leaves as it was, what nothing depends on, and what came of no number with a derivative.
BACKWARD void positive_members(const double *x, [[kernix::no_diff]] const double *c, double *y) {
  Sum s{2, 3, 0}, other{1, 1, 0};
  other.add(c[threadIdx.x]);
  double r = s.next(x[threadIdx.x]);
  y[threadIdx.x] = r * s.scale * s.count + other.sum;
}
// CHECK-NOT: positive

struct Cache {
  mutable double last;
  __device__ void get_bwd(double x, double *gx, double g) const { *gx += g; }
  [[kernix::backward_derivative(&Cache::get_bwd)]] __device__ double get(double x) const { return last = x; }
};
// CHECK: :[[@LINE+3]]:16: error: cannot differentiate 'negative_mutable': an output depends on a number that 'get' writes to 'self'
BACKWARD void negative_mutable(const double *x, double *y) {
  Cache c{0};
  double r = c.get(x[threadIdx.x]);
  y[threadIdx.x] = r + c.last;
}

// Behind a pointer or a reference that the object has.
struct Reference {
  double &to;
  __device__ void set_bwd(double x, double *gx) const { *gx += 1; }
  [[kernix::backward_derivative(&Reference::set_bwd)]] __device__ void set(double x) const { to = x; }
};
// CHECK: :[[@LINE+4]]:5: error: cannot differentiate 'negative_reference': 'set' may write to numbers with a derivative through 'self', for which its own derivative has no gradient
BACKWARD void negative_reference(const double *x, double *y) {
  double t = 0;
  Reference r{t};
  r.set(x[threadIdx.x]);
  y[threadIdx.x] = t;
}
__device__ double kept;
// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_global': 'set' may write to numbers with a derivative through 'self'
BACKWARD void negative_global(const double *x, double *y) {
  Reference r{kept};
  r.set(x[threadIdx.x]);
  y[threadIdx.x] = kept;
}
__device__ void untyped_bwd(void *to, double x, double *gx, double g) { *gx += g; }
[[kernix::backward_derivative(untyped_bwd)]] __device__ double untyped(void *to, double x) {
  return *static_cast<double *>(to) = x;
}
// CHECK: :[[@LINE+3]]:3: error: cannot differentiate 'negative_untyped': 'untyped' may write to numbers with a derivative through 'to'
BACKWARD void negative_untyped(const double *x, double *y) {
  double t = 0;
  untyped(&t, x[threadIdx.x]);
  y[threadIdx.x] = t;
}
// CHECK: :[[@LINE+3]]:3: error: cannot differentiate 'negative_shared': 'untyped' may write to numbers with a derivative through 'to'
BACKWARD void negative_shared(const double *x, double *y) {
  __shared__ double t[32];
  untyped(t + threadIdx.x, x[threadIdx.x]);
  y[threadIdx.x] = t[threadIdx.x];
}
__device__ void named_bwd(double x, double *gx, double g) { *gx += g; }
[[kernix::backward_derivative(named_bwd)]] __device__ double named(double x) { return kept = x; }
// CHECK: :[[@LINE+2]]:20: error: cannot differentiate 'negative_named': 'named' may write numbers with a derivative to the variable 'kept', for which its own derivative has no gradient
BACKWARD void negative_named(const double *x, double *y) {
  y[threadIdx.x] = named(x[threadIdx.x]) + kept;
}

// Memory that it works with itself.
__device__ void block_sum_bwd(double x, double *gx, double g) { *gx += g; }
[[kernix::backward_derivative(block_sum_bwd)]] __device__ double block_sum(double x) {
  __shared__ double all[32];
  all[threadIdx.x] = x;
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < 32; ++k)
    sum += all[k];
  __syncthreads();
  return sum;
}
BACKWARD void positive_own_memory(const double *x, double *y) { y[threadIdx.x] = block_sum(x[threadIdx.x]); }

// What the source says is a constant.
__device__ void logged_bwd(double x, double *gx, double &log, double *, double g) { *gx += g; }
[[kernix::backward_derivative(logged_bwd)]] __device__ double logged(double x, [[kernix::no_diff]] double &log) {
  return log = x;
}
BACKWARD void positive_no_diff(const double *x, double *y) {
  double log = 0, r = logged(x[threadIdx.x], log);
  y[threadIdx.x] = r * log;
}
