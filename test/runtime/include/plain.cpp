// test/runtime/include/plain.cpp - compile only: kernix.h in a plain C++ source, with an attribute that nobody knows.

#include "kernix/kernix.h"

[[kernix::bind]] float sum(kernix::TensorView<const float> x, const kernix::Tensor t, kernix::Stream) {
  float total = 0;
  for (int64_t i = 0; i < x.size(0); ++i)
    total += x[i] + t.data_ptr<const float>()[i];
  return total;
}
