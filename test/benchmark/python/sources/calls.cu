// test/benchmark/python/sources/calls.cu - functions that do nothing, so that a call's time is the way there.

#include <kernix/kernix.h>

using View = kernix::TensorView<float>;

/// A host function: nothing is launched.
[[kernix::bind]] void nothing(const View x, const View y, View z) {}

/// The same; z may be left to the call.
[[kernix::bind]] void allocating(const View x, const View y, [[kernix::shape("x")]] View z) {}

[[kernix::bind]] void scalars(const View x, const View y, View z, float a, int n) {}

/// A kernel, of one thread.
[[kernix::bind, kernix::grid("1"), kernix::block(1)]]
__global__ void launched(const float *x, const float *y, float *z) {
  if (x == y)
    z[0] = x[0];
}
