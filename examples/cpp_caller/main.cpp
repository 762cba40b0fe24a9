// Calls the kernel of ../scale_shift from C++. Usage: caller [cpu|cuda]
//
// Exits with status 1 where a result is wrong or the call fails.

#include <kernix/call.h>

#if defined(WITH_CUDA)
#include <cuda_runtime.h>
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<float> call_on_cpu(const std::vector<float> &x) {
  kernix::Module module(LIBRARY_STEM ".cpu.so");
  const int64_t n = static_cast<int64_t>(x.size());
  // y is absent, so the call allocates it; n is computed from x.
  kernix::Results results = module["scale_shift"](kernix::array(x.data(), {n}), kernix::absent, 2.0f, 1.0f);
  const float *y = results.tensor().data_ptr<float>();
  return {y, y + n};
}

#if defined(WITH_CUDA)
void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw kernix::KernelError(cudaGetErrorString(status));
}

std::vector<float> call_on_cuda(const std::vector<float> &x) {
  kernix::Module module(LIBRARY_STEM ".cuda.so");
  const int64_t n = static_cast<int64_t>(x.size());
  const size_t bytes = x.size() * sizeof(float);
  float *device_x = nullptr, *device_y = nullptr;
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  module["scale_shift"](kernix::array(device_x, {n}, KERNIX_CUDA), kernix::array(device_y, {n}, KERNIX_CUDA), 2.0f,
                        1.0f);
  std::vector<float> y(x.size());
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(device_x));
  check(cudaFree(device_y));
  return y;
}
#endif

} // namespace

int main(int argc, char **argv) try {
  const std::string device = argc > 1 ? argv[1] : "cpu";
  std::vector<float> x(100000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i) * 1e-4f - 5.0f;

  std::vector<float> y;
  if (device == "cpu")
    y = call_on_cpu(x);
#if defined(WITH_CUDA)
  else if (device == "cuda")
    y = call_on_cuda(x);
#endif
  else
    throw kernix::KernelError("this program was not built for the device '" + device + "'");

  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(y[i] - (2.0 * std::sin(static_cast<double>(x[i])) + 1.0)) <= 1e-6)) {
      std::fprintf(stderr, "MISMATCH at %zu: %g\n", i, static_cast<double>(y[i]));
      return 1;
    }
  std::printf("scale_shift from C++ on %s: equal to the reference\n", device.c_str());
  return 0;
} catch (const kernix::KernelError &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
