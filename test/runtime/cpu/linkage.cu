// Names that exist twice: in two files, and in both passes of one file.
// RUN: %cpu-cc-all %t -I%inputs %s %inputs/linkage_other.cu
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "linkage.h"

namespace {
__device__ int offset = 1;
__constant__ int table[2] = {10, 20};
__global__ void same_name(int *x) { x[threadIdx.x] = 1000 + offset + table[1] + which_pass(); }
} // namespace
extern "C" __global__ void c_kernel(int *x) { *x = 7; }
static __global__ void internal_kernel(int *x) { *x = 8; }
namespace outer::inner {
struct Holder {
  template <class T, int N> struct Deep {
    __host__ __device__ static T value() { return N; }
  };
};
template <class T> __global__ void named(T *x) { *x = Holder::Deep<T, 9>::value(); }
} // namespace outer::inner
template <void (*Kernel)(int *)> __global__ void with_kernel_argument(int *x) { *x = 10; }
// Parameters that come in several registers, in memory, or not at all.
struct Empty {};
struct Three {
  float x, y, z;
};
struct Big {
  double a[20];
  int n;
};
struct Mixed {
  float a;
  int b;
  double c;
};
__global__ void parameters(Empty, bool b, Three t, Mixed m, Big big, __int128 w, char c, const int &r, long double ld,
                           short s, float4 f, double *out) {
  big.n += threadIdx.x; // the thread's own copy
  double values[] = {double(b),     t.x,       t.y,       t.z,       m.a,        double(m.b), m.c, big.a[19],
                     double(big.n), double(w), double(c), double(r), double(ld), double(s),   f.x, f.w};
  for (int i = 0; i < 16; ++i)
    out[threadIdx.x * 16 + i] = values[i];
}

int first_file(int *x) {
  same_name<<<1, 1>>>(x);
  return *x;
}

int main() {
  int x = 0;
  // On the host which_pass() is 1, in kernels 2; the second file's variables differ.
  CHECK(which_pass() == 1);
  CHECK(first_file(&x) == 1023);
  CHECK(second_file(&x) == 2045);
  CHECK(template_in_first(&x) == 5 && template_in_second(&x) == 5);
  c_kernel<<<1, 1>>>(&x);
  CHECK(x == 7);
  internal_kernel<<<1, 1>>>(&x);
  CHECK(x == 8);
  outer::inner::named<<<1, 1>>>(&x);
  CHECK(x == 9);
  with_kernel_argument<same_name><<<1, 1>>>(&x);
  CHECK(x == 10);
  x = 0;
  with_kernel_argument<c_kernel><<<1, 1>>>(&x);
  CHECK(x == 10);
  CHECK_CUDA(cudaGetLastError());

  double out[64];
  Big big{};
  big.a[19] = 8;
  big.n = 9;
  int r = 12;
  parameters<<<1, 4>>>({}, true, {2, 3, 4}, {5, 6, 7}, big, 10, 11, r, 13, 14, {15, 0, 0, 16}, out);
  CHECK_CUDA(cudaGetLastError());
  const double expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < 16; ++i)
      CHECK(out[t * 16 + i] == expected[i] + (i == 8 ? t : 0));
}
int template_in_first(int *x) {
  shared_template<<<1, 1>>>(x, 5);
  return *x;
}
