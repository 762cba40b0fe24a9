// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>

// CHECK: .entry {{.*}}standard
__global__ void standard(float *x) {
  cuda::std::complex<float> c(x[0], x[1]);
  auto [a, b] = cuda::std::make_tuple(1, (c * c).imag());
  cuda::std::array<float, 2> both{c.real() + a, b};
  x[2] = both[0] + both[1] + cuda::std::numeric_limits<float>::epsilon();
}
