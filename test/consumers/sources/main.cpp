// Calls the project's kernels from C++. Exits with status 1 where a result is wrong or the call fails.
#include <kernix/call.h>

#include <cstdio>
#include <vector>

int main() try {
  const kernix::Module module(LIBRARY);
  const std::vector<float> x{1, 2, 3}, y{10, 20, 30};
  const kernix::Results results = module["saxpy"](2.0f, kernix::array(x.data(), {3}), kernix::array(y.data(), {3}));
  const float *z = results.tensor().data_ptr<float>();
  if (z[0] != 12 || z[1] != 24 || z[2] != 36) {
    std::fprintf(stderr, "wrong result: %g %g %g\n", static_cast<double>(z[0]), static_cast<double>(z[1]),
                 static_cast<double>(z[2]));
    return 1;
  }
  std::puts("saxpy from C++: right");
  return 0;
} catch (const kernix::KernelError &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
