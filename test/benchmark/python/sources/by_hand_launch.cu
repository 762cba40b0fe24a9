// test/benchmark/python/sources/by_hand_launch.cu - calls.cu's `launched` without kernix: a tvm-ffi function that
// checks its tensors and launches on the caller's stream and device, and a plain C function for ctypes.

#include <cstdint>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace {

__global__ void kernel(const float *x, const float *y, float *z) {
  if (x == y)
    z[0] = x[0];
}

void check(const tvm::ffi::TensorView &x, const tvm::ffi::TensorView &y, const char *name) {
  TVM_FFI_ICHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1})) << name << ": expected float32";
  TVM_FFI_ICHECK(x.device().device_type == kDLCUDA && x.device().device_id == y.device().device_id)
      << name << ": is on another device";
  TVM_FFI_ICHECK(x.IsContiguous()) << name << ": is not contiguous";
}

void launched(tvm::ffi::TensorView x, tvm::ffi::TensorView y, tvm::ffi::TensorView z) {
  check(x, x, "x");
  check(y, x, "y");
  check(z, x, "z");
  const DLDevice device = x.device();
  tvm::ffi::CUDADeviceGuard guard(device.device_id);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  kernel<<<1, 1, 0, stream>>>(static_cast<const float *>(x.data_ptr()), static_cast<const float *>(y.data_ptr()),
                              static_cast<float *>(z.data_ptr()));
  const cudaError_t error = cudaGetLastError();
  TVM_FFI_ICHECK(error == cudaSuccess) << cudaGetErrorString(error);
}

} // namespace

// The macro leaves a parameter unused.
#pragma clang diagnostic ignored "-Wunused-parameter"
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launched, launched);

extern "C" __attribute__((visibility("default"))) int launched_c(const float *x, const float *y, float *z,
                                                                 void *stream) {
  kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(x, y, z);
  return cudaGetLastError();
}
