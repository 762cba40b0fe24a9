// What an instantiation, a redeclaration and a specialisation know of the attributes: dumped as the store answers.
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck %s
// RUN: %cuda-device -fsyntax-only -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck %s

template <class T, int Block>
[[kernix::bind, kernix::block(Block * 2)]] __global__ void kernel(const T *x, [[kernix::shape("x")]] T *y, int n);
template <class T, int Size>
__global__ void kernel(const T *x, T *y, [[kernix::value("x.numel()")]] int n) {
  [[kernix::max_iters(Size + 1)]] for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
template __global__ void kernel<float, 64>(const float *, float *, int);
template <> __global__ void kernel<double, 32>(const double *, double *, int) {}
// CHECK: function kernel: bind@6:3() block@6:17(dependent)
// CHECK-NEXT: parameter 1 y: shape@6:81(
// CHECK-NEXT: parameter 2 n: value@8:44(
// CHECK-NEXT: ForStmt at 9:35: max_iters@9:5(dependent)
// CHECK-NEXT: function kernel<float, 64>: bind@6:3() block@6:17(128 here)
// CHECK-NEXT: parameter 1 y: shape@6:81(
// CHECK-NEXT: parameter 2 n: value@8:44(
// CHECK-NEXT: ForStmt at 9:35: max_iters@9:5(65 here)
// CHECK-NEXT: function kernel<double, 32>: nothing

template <class... A>
[[kernix::bind("pack")]] void pack(int a, [[kernix::no_diff]] A... as, [[kernix::intent(inout_ptr)]] float &z);
void usePack(float &z) {
  pack<int, long>(1, 2, 3, z);
  pack<>(1, z);
}
// CHECK: function pack: bind@
// CHECK: function pack<int, long>: bind@
// CHECK-NEXT: parameter 1 as: no_diff
// CHECK-NEXT: parameter 2 as: no_diff
// CHECK-NEXT: parameter 3 z: intent
// CHECK-NEXT: function pack<>: bind@
// CHECK-NEXT: parameter 1 z: intent

template <class T> struct Box {
  [[kernix::no_diff]] static T get([[kernix::no_diff]] T x);
};
template <class T> T Box<T>::get(T x) { return x; }
template struct Box<float>;
[[kernix::bind("box_get")]] constexpr auto boxGet = &Box<float>::get;
// CHECK: function Box::get: no_diff
// CHECK-NEXT: parameter 0 x: no_diff
// CHECK: variable boxGet: bind@

void both(float &x, float &y);
[[kernix::bind]] void both([[kernix::intent(inout_ptr)]] float &x, float &y);
[[kernix::bind]] void both(float &a, [[kernix::intent(inout_ptr)]] float &b);
// CHECK: function both: bind@
// CHECK-NEXT: parameter 0 x: intent
// CHECK-NEXT: parameter 1 y: intent
// CHECK-NOT: {{warning|error}}:
