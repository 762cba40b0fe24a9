// The parameters of f_fwd and f_bwd: of kernels, a shadow for what has a gradient; of device and host functions, one
// for every type that could have one.
//
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %inputs/derivatives.py | FileCheck %s
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o /dev/null %s
#include <kernix/kernix.h>

struct Mixed {
  float a;
  int n;
  float b;
};
struct Pair {
  float a, b;
};

// CHECK-LABEL: kernel_fwd(const float4 *x, const float4 *x_tangent, Mixed m, Mixed m_tangent, const int *index, kernix::TensorView<float> y, const kernix::TensorView<float> y_tangent, float b)
// CHECK-LABEL: kernel_bwd(const float4 *x, float4 *x_grad, Mixed m, Mixed *m_grad, const int *index, kernix::TensorView<float> y, const kernix::TensorView<const float> y_grad, float b)
// CHECK-NEXT: x: arg
// CHECK-NEXT: x_grad: ret gradient of x, float32[4], like x
// A struct of several types is its bytes, with the fields that have a gradient.
// CHECK-NEXT: m: attr
// CHECK-NEXT: m_grad: ret gradient of m, uint8[12], shape (1), fields a b
// CHECK-NEXT: index: arg
// CHECK-NEXT: y: arg primal output, optional
// CHECK-NEXT: y_grad: arg cotangent of y, float32, like y
// CHECK-NEXT: b: attr
struct float4 {
  float x, y, z, w;
};
[[kernix::bind, kernix::differentiable]] __global__ void
kernel(const float4 *x, [[kernix::diff]] Mixed m, const int *index, kernix::TensorView<float> y, float b) {
  y[0] = x[0].x * m.a + b;
}

// CHECK-LABEL: backward_only_bwd(
[[kernix::bind, kernix::differentiable(backward)]] __global__ void backward_only(const float *x, float *y) { *y = *x; }
// CHECK-LABEL: forward_only_fwd(
[[kernix::bind, kernix::differentiable(forward)]] __global__ void forward_only(const float *x, float *y) { *y = *x; }

// CHECK-LABEL: marked_bwd(const float *x, const float *w, float *w_grad, float *y, const float *y_grad)
[[kernix::bind, kernix::differentiable(backward)]] __global__ void
marked([[kernix::no_diff]] const float *x, const float *w, float *y) {
  *y = *x * *w;
}

// An output that is read: the value from before the call, and a shadow that comes in and goes out.
// CHECK-LABEL: inout_bwd(const float *x, float *x_grad, float *y, float *y_grad)
// CHECK: y: arg primal output{{$}}
// CHECK-NEXT: y_grad: ret cotangent_and_gradient of y, float32, inout_ptr, like y
[[kernix::bind, kernix::differentiable(backward)]] __global__ void inout(const float *x, float *y) { *y *= *x; }

// Sizes, shapes and launches speak of the parameters' new places.
// CHECK-LABEL: sized_bwd(const float *x, float *x_grad, float *y, const float *y_grad, int n)
// CHECK-NEXT: launch grid ceil_div(n, block.x)
// CHECK: y: arg primal output, optional, shape (n)
[[kernix::bind, kernix::differentiable(backward), kernix::grid("ceil_div(n, block.x)")]] __global__ void
sized(const float *x, [[kernix::shape("n")]] float *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = x[threadIdx.x];
}

// Overloads overload; instances have a hash in code, which nobody has to read.
// CHECK-LABEL: overload_bwd(const float *x, float *x_grad,
// CHECK-LABEL: overload_bwd(const double *x, double *x_grad,
[[kernix::bind, kernix::differentiable(backward)]] __global__ void overload(const float *x, float *y) { *y = *x; }
[[kernix::bind, kernix::differentiable(backward)]] __global__ void overload(const double *x, double *y) { *y = *x; }
// CHECK-LABEL: instance_bwd<float>(const float *x, float *x_grad,
// CHECK-LABEL: instance_bwd<double>(const double *x, double *x_grad,
template <class T>
[[kernix::bind, kernix::instantiate("float", "double"), kernix::differentiable(backward)]] __global__ void
instance(const T *x, T *y) {
  *y = *x;
}

// A name that f has already is avoided.
// CHECK-LABEL: clash_bwd(const float *x, float *x_grad_, float *x_grad, const float *x_grad_grad)
[[kernix::bind, kernix::differentiable(backward)]] __global__ void clash(const float *x, float *x_grad) {
  *x_grad = *x;
}

// CHECK-LABEL: device_fwd(float x, float x_tangent, const float *p, const float *p_tangent, Pair s, Pair s_tangent, float c, float c_tangent, int k)
// CHECK: c_tangent: attr tangent, default
// CHECK: -> value tangent
// CHECK-LABEL: device_bwd(float x, float *x_grad, const float *p, float *p_grad, Pair s, Pair *s_grad, float c, float *c_grad, int k, float result_grad)
// CHECK: s_grad: ret gradient of s, float32[2], shape (1), fields a b
// CHECK-NEXT: c: attr
// CHECK-NEXT: c_grad: arg, optional
// CHECK-NEXT: k: attr
// CHECK-NEXT: result_grad: attr cotangent
[[kernix::bind, kernix::differentiable]] __device__ float device(float x, const float *p, Pair s,
                                                                 [[kernix::no_diff]] float c, int k) {
  return x * p[k] * s.a * c;
}

// References are memory in both modes.
// CHECK-LABEL: references_fwd(double x, double x_tangent, double &r, double *r_tangent, double &q, double *q_tangent)
// CHECK-LABEL: references_bwd(double x, double *x_grad, double &r, double *r_grad, double &q, double *q_grad)
// CHECK: r: attr primal output, in, default
// CHECK-NEXT: r_grad: arg cotangent of r, float64, shape (1)
// CHECK-NEXT: q: attr primal output, in{{$}}
// CHECK-NEXT: q_grad: ret cotangent_and_gradient of q, float64, shape (1)
[[kernix::bind, kernix::differentiable]] void references(double x, [[kernix::intent(out_return)]] double &r,
                                                         [[kernix::intent(inout_ptr)]] double &q) {
  r = x * x;
  q *= x;
}

// CHECK-LABEL: both_bwd(double x, double *x_grad, double result_grad)
[[kernix::bind, kernix::differentiable]] __host__ __device__ double both(double x) { return x * x; }

// An instance of a class template is not a template instance by itself, and extern "C" keeps its name.
// CHECK-LABEL: plain_bwd(
extern "C" [[kernix::bind, kernix::differentiable(backward)]] __global__ void plain(const float *x, float *y) {
  *y = *x;
}

// differentiable(2): f_bwd reads values and cotangents and writes gradients, and has derivatives by them.
// CHECK-LABEL: second_bwd_fwd(const float *x, const float *x_tangent, float *x_grad, float *x_grad_tangent, float *y, const float *y_grad, const float *y_grad_tangent)
// CHECK-LABEL: second_bwd_bwd(const float *x, float *x_grad_, float *x_grad, const float *x_grad_grad, float *y, const float *y_grad, float *y_grad_grad)
// CHECK-NEXT: x: arg
// CHECK-NEXT: x_grad_: ret gradient of x, float32, like x
// Null for both: f_bwd was told not to compute it.
// CHECK-NEXT: x_grad: arg primal output, optional, like x
// CHECK-NEXT: x_grad_grad: arg cotangent of x_grad, float32, optional, like x
// CHECK-NEXT: y: arg primal output, optional
// CHECK-NEXT: y_grad: arg
// CHECK-NEXT: y_grad_grad: ret gradient of y_grad, float32, like y_grad
// CHECK: second_bwd(const float *x, float *x_grad, float *y, const float *y_grad)
[[kernix::bind, kernix::differentiable(2)]] __global__ void second(const float *x, float *y) { *y = *x * *x; }
