// Kernels that are still refused, with a located error; they belong into ../kernels once they work.
#include "../kernels/bank.h"

// bank: x in [n] -2:2 | w in [n] -1:1 | y out [n] | n = 40
KERNEL void standard_library(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = std::max(x[i], w[i]) * std::sin(x[i]) + std::min(x[i], w[i]) + std::abs(x[i]) + std::exp(w[i]);
}

template <class T> struct Vec3 {
  T x, y, z;
  __device__ T &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
};

// bank: x in [n, 3] -1:1 | y out [n] | n = 30
KERNEL void struct_subscript(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Vec3<T> v{};
  for (int k = 0; k < 3; ++k)
    v[k] = x[3 * i + k] * (k + 1);
  v[i % 3] *= 2;
  y[i] = v.x * v.y + v.z;
}
