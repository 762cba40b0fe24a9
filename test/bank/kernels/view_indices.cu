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
// bank: x in [2, 3, 4, 5] -1:1 | y out [2, 3, 4, 5] | @block 7 | @grid 3 | @strided x y
KERNEL void four_axes_in_steps_of_the_grid(In<T> x, Out<T> y) {
  int N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
  for (int t = thread_index(); t < N * C * H * W; t += gridDim.x * blockDim.x) {
    int w = t % W, h = t / W % H, c = t / W / H % C, n = t / W / H / C;
    y(n, c, h, w) = x(n, c, h, w) * x(n, c, H - 1 - h, w) + x(n, C - 1 - c, h, W - 1 - w);
  }
}
// bank: x in [b, m, k, c] -1:1 | y out [c, b, k, m] | b = 2 | m = 3 | k = 4 | c = 5 | @block 7 | @grid 3
KERNEL void four_axes_divided_step_by_step(const T *x, T *y, int b, int m, int k, int c) {
  for (int t = thread_index(); t < b * m * k * c; t += gridDim.x * blockDim.x) {
    int rest = t;
    int at_c = rest % c;
    rest /= c;
    int at_k = rest % k;
    rest /= k;
    int at_m = rest % m, at_b = rest / m;
    y[((at_c * b + at_b) * k + at_k) * m + at_m] = x[t] * x[t] * (1 + at_k);
  }
}
template <class T> using Carrying = kernix::DiffTensorViewAA<T>;
// bank: x in [2, 3, 4, 5] -1:1 | y out [2, 3, 4, 5] | @block 7 | @grid 3
ONCE_KERNEL void four_axes_of_a_view_that_carries_gradients(const Carrying<T> x, Carrying<T> y) {
  int N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
  for (int t = thread_index(); t < N * C * H * W; t += gridDim.x * blockDim.x) {
    int w = t % W, h = t / W % H, c = t / (W * H) % C, n = t / (W * H * C);
    y[make_int4(n, c, h, w)] = x[make_int4(n, c, h, w)] * x[make_int4(n, c, H - 1 - h, w)];
  }
}
// bank: x in [4, 5] -1:1 | y out [5, 4] | @block 3 | @grid 2
ONCE_KERNEL void columns_of_a_view_that_carries_gradients(const Carrying<T> x, Carrying<T> y) {
  int H = x.size(0), W = x.size(1);
  for (int t = thread_index(); t < H * W; t += gridDim.x * blockDim.x)
    y[make_int2(t % W, t / W)] = x[make_int2(t / W, t % W)] * x[make_int2(0, t % W)];
}
// bank: x in [4, 5] -1:1 | y out [4, 5] | @block 2,3 | @grid 1,1
ONCE_KERNEL void nested_steps_on_a_view_that_carries_gradients(const Carrying<T> x, Carrying<T> y) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < x.size(0); r += gridDim.y * blockDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < x.size(1); c += gridDim.x * blockDim.x)
      y[make_int2(r, c)] = x[make_int2(r, c)] * x[make_int2(r, 0)];
}
// bank: x in [4, 5] -1:1 | y out [5, 4] | @block 3 | @grid 2 | @strided x y
KERNEL void remainders_by_all_sizes(In<T> x, Out<T> y) {
  int H = x.size(0), W = x.size(1);
  for (int t = thread_index(); t < H * W; t += gridDim.x * blockDim.x)
    y(t % W, t / W % H) = x(t / W % H, t % W) * x(t / W, 0);
}
// bank: x in [9, 5] -1:1 | y out [9, 5] | part = 4 | @block 5 | @grid 3 | @strided x y
KERNEL void parts_of_threads_in_views(In<T> x, Out<T> y, int part) {
  int W = x.size(1), start = thread_index() * part;
  for (int i = start; i < min(start + part, static_cast<int>(x.numel())); ++i)
    y(i / W, i % W) = x(i / W, i % W) * x(0, i % W);
}
// bank: x in [9, 5] -1:1 | y out [9, 5] | part = 4 | @block 5 | @grid 3
ONCE_KERNEL void parts_of_threads_in_views_that_carry_gradients(const Carrying<T> x, Carrying<T> y, int part) {
  int W = x.size(1), start = thread_index() * part;
  for (int i = start; i < min(start + part, static_cast<int>(x.numel())); ++i)
    y[make_int2(i / W, i % W)] = x[make_int2(i / W, i % W)] * x[make_int2(0, i % W)];
}
// bank: x in [n] -1:1 | y out [2 * n] | n = 45 | @block 8 | @grid 2
ONCE_KERNEL void two_parts_of_a_view_that_carries_gradients(const Carrying<T> x, Carrying<T> y, int n) {
  for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
    y[i] = x[i] * x[i];
    y[n + i] = x[i] * x[0];
  }
}
