// Control flow that leaves in odd places: goto back, switch in loops, flags, state machines, loops whose bounds move.
#include "bank.h"

// bank: x in [n, 5] -1:1 | y out [n, 2] | n = 18
KERNEL void rise_fall_hold(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  enum class Mode { Rise, Fall, Hold } mode = Mode::Rise;
  T level = T(0.1), peak = 0;
  for (int t = 0; t < 10; ++t) {
    T in = x[5 * i + t % 5];
    switch (mode) {
    case Mode::Rise:
      level += in * in;
      if (level > T(0.8)) {
        peak = level;
        mode = Mode::Fall;
      }
      break;
    case Mode::Fall:
      level *= T(0.5) + T(0.3) * in;
      if (level < T(0.2))
        mode = Mode::Hold;
      break;
    case Mode::Hold:
      if (in > 0)
        mode = Mode::Rise;
      else
        level -= T(0.1) * in * peak;
      continue;
    }
    level += T(0.01) * peak * level;
  }
  y[2 * i] = level;
  y[2 * i + 1] = peak;
}

// bank: x in [n, 6] -1:1 | y out [n] | n = 18
KERNEL void retry_with_goto(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[6 * i], damp = 1;
  int tries = 0;
again:
  for (int c = 1; c < 6; ++c) {
    s = s * T(1.3) + damp * x[6 * i + c] * s;
    if (s > 1 || s < -1) {
      damp *= T(0.5);
      s = x[6 * i] * damp;
      if (++tries < 4)
        goto again;
      goto done;
    }
  }
  s += 1;
done:
  y[i] = s * damp;
}

// bank: x in [n, 6] -1:1 | k in i32 [n] 0:7 | y out [n] | n = 20
KERNEL void nested_breaks_with_flag(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0, p = 1;
  bool found = false;
  for (int a = 0; a < 6 && !found; ++a) {
    for (int b = a; b < 6; ++b) {
      if (b == k[i] && a > 1) {
        found = true;
        break;
      }
      if (x[6 * i + b] < T(-0.6))
        continue;
      p *= 1 + T(0.2) * x[6 * i + b] * x[6 * i + a];
      if (p > 3) {
        y[i] = p - s;
        return;
      }
    }
    s += p;
  }
  y[i] = found ? s * p : s - p;
}

// bank: x in [n, 4] 0.1:1 | y out [n, 2] | n = 18
KERNEL void bounds_that_move(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int end = 3;
  T s = 0, w = 1;
  for (int t = 0; t < end; t += 1 + (t & 1)) {
    w *= x[4 * i + t % 4];
    s += w * w;
    if (s < T(0.5) && end < 12)
      end += 2;
    if (t == 5)
      t = 6;
  }
  int down = end;
  while (down-- > 0)
    w += T(0.1) * s * w;
  y[2 * i] = s;
  y[2 * i + 1] = w;
}

// bank: x in [n, 4] 0.5:1.5 | y out [n, 2] | n = 14
KERNEL void greatest_common_measure(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[4 * i] * 3, b = x[4 * i + 1];
  int steps = 0;
  while (b > T(0.2) && steps < 20) {
    T q = floor(a / b), r = a - q * b;
    a = b;
    b = r;
    ++steps;
  }
  y[2 * i] = a * x[4 * i + 2];
  y[2 * i + 1] = b * x[4 * i + 3] + steps;
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 14
KERNEL void explicit_tree_recursion(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // depth-first over a binary tree with a stack of nodes and values
  int nodes[8];
  T values[8];
  int top = 0;
  nodes[top] = 1;
  values[top++] = x[4 * i];
  T sum = 0;
  while (top > 0) {
    --top;
    int node = nodes[top];
    T v = values[top];
    if (node >= 8) {
      sum += v * v;
      continue;
    }
    nodes[top] = 2 * node;
    values[top++] = v * x[4 * i + 1] + T(0.1);
    nodes[top] = 2 * node + 1;
    values[top++] = v + x[4 * i + 2] * x[4 * i + 3] * node;
  }
  y[i] = sum;
}

// bank: x in [n, 5] -1:1 | y out [n] | n = 16 | m = 5
KERNEL void early_return_in_loop_in_switch(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  switch (i % 3) {
  case 0:
    for (int c = 0; c < m; ++c) {
      s += x[5 * i + c] * x[5 * i + c];
      if (s > T(0.7)) {
        y[i] = s * x[5 * i];
        return;
      }
    }
    break;
  case 1: {
    int c = 0;
    while (true) {
      s = s * T(0.7) + x[5 * i + c];
      if (++c == m)
        break;
      if (s < T(-0.9)) {
        y[i] = -s;
        return;
      }
    }
    break;
  }
  default:
    y[i] = x[5 * i] * x[5 * i + 1];
    return;
  }
  y[i] = s;
}

// bank: x in [n, 6] -1:1 | y out [n, 2] | n = 16
KERNEL void last_value_of_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T last = 5, sum = 0, square = 0;
  int at = -1;
  for (int c = 0; c < 6; ++c) {
    T v = x[6 * i + c] * (c + 1);
    if (v > T(0.3)) {
      last = v * v;
      at = c;
    }
    sum += v;
    square += v * v;
  }
  y[2 * i] = last * sum + at;
  y[2 * i + 1] = square / (1 + sum * sum);
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 16
KERNEL void loop_that_may_not_run(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[4 * i];
  for (int a = 0; a < i % 4; ++a)
    for (int b = a; b < i % 3; ++b)
      s = s * x[4 * i + a] + sin(s * x[4 * i + b]);
  y[i] = s * s;
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 16
KERNEL void binary_search_then_lerp(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  constexpr double knots[9] = {-1.1, -0.8, -0.5, -0.1, 0.0, 0.3, 0.5, 0.9, 1.2};
  T sum = 0;
  for (int c = 0; c < 3; ++c) {
    T v = x[4 * i + c];
    int lo = 0, hi = 8;
    while (hi - lo > 1) {
      int mid = (lo + hi) / 2;
      if (v < T(knots[mid]))
        hi = mid;
      else
        lo = mid;
    }
    T f = (v - T(knots[lo])) / T(knots[hi] - knots[lo]);
    sum += (1 - f) * x[4 * i + lo % 4] + f * f * x[4 * i + hi % 4];
  }
  y[i] = sum;
}

// -- an element that a loop stores to again and again: the last value counts ------------------------------------------

// bank: x in [n, m] -1:1 | y out [n] | n = 16 | m = 40
KERNEL void largest_so_far(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T best = -10;
  for (int c = 0; c < m; ++c) {
    T v = x[m * i + c];
    if (v > best) {
      best = v;
      y[i] = v * v;
    }
  }
}

// bank: x in [n, m] -1:1 | last in i32 [n] 1:40 | y out [2, n] | n = 16 | m = 40
KERNEL void last_valid(const T *x, const int *last, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = 0;
  for (int c = 0; c < m; ++c)
    if (c < last[i]) {
      y[i] = sin(x[m * i + c]);
      y[n + i] = x[m * i + c] * x[m * i];
    }
}

// bank: x in [n, m] -1:1 | shows in i32 [m] 0:2 | y out [n, m] | n = 6 | m = 10
KERNEL void overwritten_in_a_nest(const T *x, const int *shows, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int a = 0; a < m; ++a) {
    y[m * i + a] = 2 * x[m * i];
    for (int b = 0; b < m; ++b)
      if (shows[b])
        y[m * i + a] = x[m * i + a] * x[m * i + b];
    if (!shows[a])
      y[m * i + a] = T(0.5);
  }
}

// bank: x in [m, n] -1:1 | near in [m, n] 0:1 | y out [n, 3] | depth out [n] | n = 16 | m = 12
KERNEL void nearest_wins(const T *x, const T *near, T *y, T *depth, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T nearest = 2;
  for (int c = 0; c < m; ++c) {
    T z = near[n * c + i];
    if (z >= nearest)
      continue;
    nearest = z;
    depth[i] = z * z;
    for (int k = 0; k < 3; ++k)
      y[3 * i + k] = x[n * c + i] * (k + z);
  }
}
