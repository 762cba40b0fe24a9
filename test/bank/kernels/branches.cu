// Branches: what is left out, taken early, taken twice, fallen through or jumped to.
#include "bank.h"

// bank: x in [n] -2:2 | y out [n] | a const 0.5:2 | n = 37
KERNEL void early_return(const T *x, T *y, T a, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = a * sin(x[i]) + x[i] * x[i];
}

// bank: x in [n] -2:2 | y out [n] | n = 41
KERNEL void guard_block(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n) {
    T v = x[i];
    y[i] = v * v * v - v;
  }
}

// bank: x in [n] -2:2 | y out [n] | n = 53
KERNEL void two_returns(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  if (x[i] < 0) {
    y[i] = exp(x[i]);
    return;
  }
  y[i] = 1 + x[i] + T(0.5) * x[i] * x[i];
}

// bank: x in [n] -3:3 | y out [n] | n = 64
KERNEL void else_chain(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i], r;
  if (v < -2)
    r = -v * v;
  else if (v < -1)
    r = sin(v) * 3;
  else if (v < 0)
    r = v;
  else if (v < 1)
    r = tanh(v);
  else
    r = v / (1 + v);
  y[i] = r * r + r;
}

// bank: x in [n] -2:2 | w in [n] -2:2 | y out [n] | n = 60
KERNEL void nested_branches(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i], b = w[i], r = 0;
  if (a > 0) {
    if (b > 0)
      r = a * b;
    else {
      r = a - b * b;
      if (a + b > 0)
        r *= exp(b);
    }
  } else if (b > a)
    r = b * cos(a);
  y[i] = r + T(0.25) * a;
}

// bank: x in [n] -2:2 | w in [n] -2:2 | y out [n] | n = 60
KERNEL void short_circuit(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i], b = w[i];
  if ((a > 0 && 1 / a > b) || (b < -1 && sqrt(-b) > a))
    y[i] = a * a * b;
  else
    y[i] = a + 3 * b;
}

// bank: x in [n] -2:2 | y out [n] | n = 60
KERNEL void ternaries(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  T low = v < -1 ? -1 - T(0.1) * (v + 1) : v;
  T both = low > 1 ? sqrt(low) : low * low;
  y[i] = both * (v > 0 ? v : T(0.01) * v);
}

// bank: x in [n] -2:2 | mode in i32 [n] 0:6 | y out [n] | n = 70
KERNEL void switch_break(const T *x, const int *mode, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i], r;
  switch (mode[i]) {
  case 0:
    r = v;
    break;
  case 1:
    r = v * v;
    break;
  case 2:
    r = sin(v);
    break;
  case 4:
    r = exp(-v * v);
    break;
  default:
    r = 3;
  }
  y[i] = r + v;
}

// bank: x in [n] -2:2 | mode in i32 [n] 0:6 | y out [n] | n = 70
KERNEL void switch_fall_through(const T *x, const int *mode, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i], r = v;
  switch (mode[i]) {
  case 0:
    r = r * r;
    [[fallthrough]];
  case 1:
    r = sin(r);
    [[fallthrough]];
  case 2:
    r += v;
    break;
  case 3:
    y[i] = v * 7;
    return;
  case 5:
    r = 1;
    [[fallthrough]];
  default:
    r *= exp(v);
  }
  y[i] = r;
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void switch_in_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T r = x[i];
  for (int k = 0; k < 7; ++k) {
    switch ((i + k) % 4) {
    case 0:
      r = sin(r);
      break;
    case 1:
      continue;
    case 2:
      r = r * T(0.5) + k;
      [[fallthrough]];
    case 3:
      r -= T(0.1) * r * r;
    }
    r += T(0.125);
  }
  y[i] = r;
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void goto_forward(const T *x, T *y, int n) {
  int i = thread_index();
  T v, r;
  if (i >= n)
    goto end;
  v = x[i];
  r = v * v;
  if (v < 0)
    goto negative;
  r = r * v;
  goto store;
negative:
  r = r + sin(v);
store:
  y[i] = r;
end:
  return;
}

// bank: x in [n] 0.5:4 | y out [n] | n = 40
KERNEL void goto_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int count = 0;
again:
  v = v * T(0.8) + T(0.1) * sin(v);
  if (++count < 5 + i % 3)
    goto again;
  y[i] = v;
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void goto_out_of_two_loops(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < 4; ++k) {
      s = s * T(1.1) + T(0.01) * j * s * s;
      if (s > 2 || s < -2)
        goto done;
    }
done:
  y[i] = s * s;
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void guarded_division(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = i % 3 ? x[i] : x[i] - x[i];
  T r = 0;
  if (v != 0)
    r = sin(v) / v;
  y[i] = r;
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void guarded_sqrt(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = i % 4 == 1 ? 0 * x[i] : x[i] * x[i];
  y[i] = v > 0 ? sqrt(v) + x[i] : x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void guarded_log(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  if (v > T(0.01))
    y[i] = v * log(v);
  else
    y[i] = 0;
}

// bank: x in [n] -2:2 | y out [n] | n = 50
KERNEL void clamp_to_range(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = v < -1 ? T(-1) : v > 1 ? T(1) : v;
}

// bank: x in [n] -2:2 | y out [n] | n = 50
KERNEL void store_in_both_arms(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  if (i & 1)
    y[i] = x[i] * x[i];
  else
    y[n - 1 - (n - 1 - i)] = cos(x[i]);
}

// bank: x in [n] -2:2 | flag in i32 [n] 0:2 | y out [n] | n = 50
KERNEL void branch_on_integers(const T *x, const int *flag, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  bool swap = flag[i] && i > 3;
  T a = swap ? v : 1, b = swap ? 2 : v * v;
  if (!swap != (i % 5 == 0))
    a = a * b + b;
  y[i] = a - b;
}

// bank: x in [n] -2:2 | y out [n] | n = 50
KERNEL void comma_and_side_effects(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i], r = 0;
  if ((r = v * 2, r > 0) && (r += v * v, r < 4))
    r = r * r;
  y[i] = r;
}

// bank: x in [n] -2:2 | y out [n] | n = 50
KERNEL void partly_written(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n || x[i] < 0)
    return;
  y[i] = sqrt(x[i] + 1);
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void abs_by_branch(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  if (v < 0)
    v = -v;
  y[i] = v * v + v;
}

// bank: x in [n] -1:1 | w in [1] -1:1 | k in i32 [n] 0:4 | y out [n] | n = 30
KERNEL void several_cases_that_do_nothing(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T outer = exp(w[0] * x[i]), s = x[i];
  for (int j = 0; j < 6 + k[i]; ++j) {
    T t = outer;
    switch ((k[i] + j) % 5) {
    case 0:
    case 2:
      break;
    case 1:
      t = sin(s);
      break;
    case 4:
      break;
    default:
      t = s * outer;
    }
    s = tanh(s * t + T(0.1));
  }
  y[i] = s;
}

// What shared memory holds is not read where the condition fails, and multiplied by nothing there.
// bank: w in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
KERNEL void read_behind_a_condition(const T *w, T *y, int n) {
  __shared__ T s[64];
  int t = threadIdx.x;
  T b = 0, c = w[t];
  s[t] = T(0.5) * t;
  __syncthreads();
  if (t > 3)
    b += T(0.74) * (s[t / 2] * c);
  y[t] = b - c * T(0.3);
}
