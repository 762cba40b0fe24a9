// Synthesized code warns about nothing that the user has not written.
// RUN: %cpu-host -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wmissing-variable-declarations -Wdeprecated -Wunused -Werror -fsyntax-only %s
// RUN: %cpu-device -Wall -Wextra -Wdeprecated -Werror -fsyntax-only %s
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind]] [[deprecated("old")]] int deprecatedFunction(int x) { return x; }
[[kernix::bind]] [[nodiscard]] int nodiscardFunction(int x) { return x; }
[[kernix::bind]] [[deprecated]] __device__ int deprecatedDevice(int x) { return x; }
[[kernix::bind]] [[noreturn]] void noreturnFunction(int x) { throw x; }
[[kernix::bind]] __attribute__((weak)) int weakFunction(int x) { return x; }
[[kernix::bind]] [[deprecated]] __global__ void deprecatedKernel(float *y, unsigned char c = 'x', long n = 1L << 40) {
  y[threadIdx.x] = static_cast<float>(n) + c;
}
[[kernix::bind, kernix::differentiable]] __global__ void differentiatedKernel(const float *x, float *y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
}
