// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
//
// ::sin of a float is a float for the host too: the braces of a template's lambda, which both passes check, do not
// narrow.
struct State {
  float position;
};

// CHECK: .entry {{.*}}swing
template <class T> __global__ void swing(T *x) {
  auto rate = [](T a) { return State{-sin(a) + cos(T(0.5) * a)}; };
  x[0] = rate(x[1]).position;
}
template __global__ void swing<float>(float *);
