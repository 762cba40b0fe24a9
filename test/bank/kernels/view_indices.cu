// Indices of views that are chosen, counted in turns, or taken from the number of all elements.
#include "bank.h"

template <class T> using In = kernix::TensorView<const T>;
template <class T> using Out = kernix::TensorView<T>;
// bank: x in [5, 6] -1:1 | y out [5, 6] | @block 5,6 | @grid 1,1 | @strided x y
KERNEL void clamped_stencil_on_views(In<T> x, Out<T> y) {
  int i = threadIdx.x, j = threadIdx.y, h = x.size(0), w = x.size(1);
  auto at = [&](int r, int c) {
    r = r < 0 ? 0 : r >= h ? h - 1 : r;
    c = c < 0 ? 0 : c >= w ? w - 1 : c;
    return x(r, c);
  };
  y(i, j) = at(i - 1, j) * at(i + 1, j) + at(i, j - 1) * at(i, j + 1) - 4 * at(i, j);
}
// bank: x in [5, 6] -1:1 | y out [5, 6] | @block 32 | @grid 1 | @strided x
KERNEL void flat_index_of_any_rank(In<T> x, Out<T> y) {
  long k = threadIdx.x;
  if (k >= x.numel())
    return;
  long i = k / x.size(1), j = k % x.size(1);
  y(i, j) = x(i, j) * x(x.size(0) - 1 - i, j ? j - 1 : x.size(1) - 1);
}
// bank: x in [5, 6] -1:1 | y out [5] | @block 32 | @grid 1 | @strided x
KERNEL void zigzag_through_a_view(In<T> x, Out<T> y) {
  int r = threadIdx.x;
  if (r >= x.size(0))
    return;
  int c = 0;
  T s = 0;
  for (int k = 0; k < 9; ++k) {
    s = s * T(0.8) + x(r, c) * (k + 1);
    if (s > 0)
      c = c + 1 < 6 ? c + 1 : 0;
    else
      c = c ? c - 1 : 5;
  }
  y(r) = s;
}
// bank: x in [n] -1:1 | m in i32 [n] 0:3 | y out [n] | n = 33
KERNEL void counts_from_a_view_of_integers(const T *x, const kernix::DiffTensorViewAA<int> m, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < m[i]; ++k)
    s = s * s + x[m.load((i + k) % n)] * m.loadFixed(0);
  y[i] = s * x[i];
}
