// test/benchmark/python/sources/by_hand.cpp - the same calls without kernix: a tvm-ffi function that checks its three
// tensors as a careful author would, and a plain C function for ctypes. Neither launches anything.

#include <cstdint>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace {

void check(const tvm::ffi::TensorView &x, const tvm::ffi::TensorView &y, const char *name) {
  TVM_FFI_ICHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1})) << name << ": expected float32";
  TVM_FFI_ICHECK(x.device().device_type == y.device().device_type && x.device().device_id == y.device().device_id)
      << name << ": is on another device";
  TVM_FFI_ICHECK(x.IsContiguous()) << name << ": is not contiguous";
}

void nothing(tvm::ffi::TensorView x, tvm::ffi::TensorView y, tvm::ffi::TensorView z) {
  check(x, x, "x");
  check(y, x, "y");
  check(z, x, "z");
  TVM_FFI_ICHECK(z.ndim() == x.ndim()) << "z: has another shape than x";
  for (int i = 0; i < x.ndim(); ++i)
    TVM_FFI_ICHECK(z.size(i) == x.size(i)) << "z: has another shape than x";
}

} // namespace

// The macro leaves a parameter unused.
#pragma clang diagnostic ignored "-Wunused-parameter"
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nothing, nothing);

extern "C" __attribute__((visibility("default"))) int nothing_c(const float *x, const float *y, float *z, int64_t n) {
  return x && y && z && n > 0 ? 0 : 1;
}
