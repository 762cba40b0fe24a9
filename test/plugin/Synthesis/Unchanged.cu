// A file without attributes of kernix comes out the same with the plugin loaded: both passes, with and without
// optimisation and debug information.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda -fplugin=%plugin --cuda-host-only -O0 -c %s -o %t/with && %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda --cuda-host-only -O0 -c %s -o %t/without && cmp %t/with %t/without
// RUN: %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda -fplugin=%plugin --cuda-host-only -O3 -g -c %s -o %t/with && %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda --cuda-host-only -O3 -g -c %s -o %t/without && cmp %t/with %t/without
// RUN: %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda -fplugin=%plugin --cuda-device-only -O0 -S -o %t/with %s && %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda --cuda-device-only -O0 -S -o %t/without %s && cmp %t/with %t/without
// RUN: %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda -fplugin=%plugin --cuda-device-only -O3 -g -S -o %t/with %s && %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda --cuda-device-only -O3 -g -S -o %t/without %s && cmp %t/with %t/without
// RUN: %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda -fplugin=%plugin --cuda-device-only -fgpu-rdc -O2 -S -o %t/with %s && %clang -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -include %inputs/cuda.h -x cuda --cuda-device-only -fgpu-rdc -O2 -S -o %t/without %s && cmp %t/with %t/without

template <class T> __global__ void scale(const T *x, T *y, int n) {
  __shared__ T tile[32];
  for (int i = 0; i < n; ++i)
    tile[i % 32] = x[i];
  [[likely]] if (n > 3) y[0] = tile[n % 32];
}
[[nodiscard]] int shape(int value) { return value; }
struct kernix {
  int bind;
};
namespace other {
[[deprecated("kernix::bind")]] inline void bind() {}
} // namespace other
void launch(const float *x, float *y) { scale<<<1, 2>>>(x, y, shape(3)); }
