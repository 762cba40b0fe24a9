// The handler that handler_cost.py compares with, written with XLA's own C++ headers. Checks what a careful author
// would.
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error scale(ffi::Buffer<ffi::F32> x, float a, ffi::ResultBuffer<ffi::F32> y) {
  const size_t count = x.element_count();
  if (count != y->element_count())
    return ffi::Error::InvalidArgument("x and y must have the same number of elements");
  const float *from = x.typed_data();
  float *to = y->typed_data();
  for (size_t i = 0; i < count; ++i)
    to[i] = a * from[i];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    scale_by_hand, scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Attr<float>("a").Ret<ffi::Buffer<ffi::F32>>());
