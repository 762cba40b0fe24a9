// Loops: ways in, ways out, and what is carried around.
#include "bank.h"

// bank: x in [n] -1:1 | c in [8] -1:1 | y out [n] | n = 30
KERNEL void horner(const T *x, const T *c, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T r = 0;
  for (int k = 7; k >= 0; --k)
    r = r * x[i] + c[k];
  y[i] = r;
}

// bank: x in [n, m] -1:1 | y out [n] | n = 9 | m = 13
KERNEL void row_sum(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int j = 0; j < m; ++j)
    s += x[i * m + j] * x[i * m + j];
  y[i] = s;
}

// bank: x in [n] -1:1 | count in i32 [n] 0:9 | y out [n] | n = 33
KERNEL void trip_count_from_data(const T *x, const int *count, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < count[i]; ++k)
    v = sin(v) + T(0.1) * k;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 20 | m = 0
KERNEL void zero_trips(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < m; ++k)
    v = v * v * v;
  y[i] = v * 2;
}

// bank: x in [n] 1:40 | y out [n] | n = 33
KERNEL void while_halving(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  T steps = 0;
  while (v > T(1.5)) {
    v = v / 2 + T(0.01) * sin(v);
    steps = steps + v * T(0.1);
  }
  y[i] = v * v + steps;
}

// bank: x in [n] -1:1 | y out [n] | n = 33
KERNEL void do_while(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int k = 0;
  do {
    v = v + T(0.2) * cos(v);
    ++k;
  } while (v < 1 && k < 20);
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 33
KERNEL void do_while_once(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  do
    v = v * v;
  while (v > 100);
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 33
KERNEL void break_on_value(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < 50; ++k) {
    s = s + T(0.3) * s * s + T(0.05);
    if (s > 1)
      break;
  }
  y[i] = s;
}

// bank: x in [n, 12] -1:1 | y out [n] | n = 11
KERNEL void continue_and_break(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = 0; k < 12; ++k) {
    T v = x[i * 12 + k];
    if (v < T(-0.2))
      continue;
    s += v * s + v;
    if (s > 3)
      break;
    s = s * T(0.9);
  }
  y[i] = s;
}

// bank: x in [n, 12] -1:1 | y out [n] | n = 17
KERNEL void return_inside_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T product = 1;
  for (int k = 0; k < 12; ++k) {
    product *= 1 + T(0.5) * x[i * 12 + k];
    if (product > 2) {
      y[i] = product * k;
      return;
    }
  }
  y[i] = -product;
}

// bank: x in [n, 6] -1:1 | y out [n] | n = 17
KERNEL void return_inside_nested_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int j = 0; j < 6; ++j)
    for (int k = 0; k <= j; ++k) {
      s += x[i * 6 + j] * x[i * 6 + k];
      if (s > T(1.2)) {
        y[i] = s * s;
        return;
      }
    }
  y[i] = exp(s);
}

// bank: x in [n] -1:1 | len in i32 [n] 1:6 | y out [n] | n = 20
KERNEL void nested_data_dependent(const T *x, const int *len, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int j = 0; j < len[i]; ++j) {
    T inner = s;
    for (int k = 0; k < len[(i + j) % n]; ++k)
      inner = inner * T(0.7) + sin(s + k) * x[(i + k) % n];
    s = s + inner * T(0.3);
  }
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 12
KERNEL void triple_nest(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 4; ++b)
      for (int c = 0; c < b; ++c)
        s = s + T(0.05) * s * s * (a + 1) - T(0.02) * c;
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void several_carried(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i], b = 1, c = 0;
  for (int k = 0; k < 9; ++k) {
    T next = a * T(0.5) + b * c;
    c = sin(b) + T(0.1) * a;
    b = a;
    a = next;
  }
  y[i] = a + 2 * b + 3 * c;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void fibonacci_like(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T previous = x[i], current = x[(i + 1) % n];
  for (int k = 0; k < 10; ++k) {
    T next = current + T(0.3) * previous * current;
    previous = current;
    current = next;
  }
  y[i] = current;
}

// bank: x in [n] 0:2 | y out [n] | n = 24
KERNEL void bound_changed_inside(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int bound = 3 + i % 3;
  for (int k = 0; k < bound; ++k) {
    v = v * T(0.9) + T(0.2) * sin(v);
    if (v > 1 && bound < 8)
      ++bound;
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void counter_changed_inside(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 12; ++k) {
    v = v + T(0.1) * k * cos(v);
    if (v > 1)
      k += 2;
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void downward_with_step(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 30; k > i % 4; k -= 7)
    v = v * v * T(0.3) + T(0.01) * k;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void unsigned_and_shift(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (unsigned step = 64; step; step >>= 1)
    v = v + sin(v) / step;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void endless_with_break(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int k = 0;
  for (;;) {
    if (k++ > 6 + (i & 3))
      break;
    v = v - T(0.1) * v * v * v;
    if (v * v > 4)
      break;
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void two_loops_in_a_row(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 5; ++k)
    v = sin(v * T(1.5));
  T w = v;
  for (int k = 0; k < 4; ++k)
    w = w * v + T(0.5);
  y[i] = w;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void loop_in_branch(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  if (v > 0)
    for (int k = 0; k < 6; ++k)
      v = v * exp(-v * T(0.3));
  else
    v = v * v;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 24
KERNEL void branch_in_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 10; ++k) {
    if (v > T(0.3))
      v = v * T(0.6);
    else if (k & 1)
      v = v + T(0.25) * cos(v);
    else
      v = v * v + T(0.2);
  }
  y[i] = v;
}

// bank: x in [n, 8] -1:1 | y out [n] | n = 15
KERNEL void running_maximum(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T best = x[i * 8];
  for (int k = 1; k < 8; ++k)
    if (x[i * 8 + k] > best)
      best = x[i * 8 + k];
  y[i] = best * best;
}

// bank: x in [n, 8] -1:1 | y out [n] | n = 15
KERNEL void index_of_maximum(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int best = 0;
  for (int k = 1; k < 8; ++k)
    if (x[i * 8 + k] > x[i * 8 + best])
      best = k;
  y[i] = sin(x[i * 8 + best]) * best;
}

// bank: x in [n, 10] -1:1 | y out [n, 10] | n = 8
KERNEL void prefix_sum(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = 0; k < 10; ++k) {
    s += x[i * 10 + k] * x[i * 10 + k];
    y[i * 10 + k] = s;
  }
}

// bank: x in [n, 10] -1:1 | y out [n, 10] | n = 8
KERNEL void nonlinear_scan(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = T(0.1);
  for (int k = 0; k < 10; ++k) {
    state = tanh(state * T(1.3) + x[i * 10 + k]);
    y[i * 10 + k] = state;
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 100 | @threads 16
KERNEL void grid_stride(const T *x, T *y, int n) {
  for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * sin(x[i]);
}

// bank: x in [n] 0.1:3 | y out [n] | n = 20
KERNEL void convergence_by_tolerance(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = 1;
  for (int k = 0; k < 60; ++k) {
    T next = T(0.5) * (v + x[i] / v);
    T change = next - v;
    v = next;
    if (change < T(1e-7) && change > T(-1e-7))
      break;
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void value_after_loop_of_indices(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int j = i;
  for (int k = 0; k < 5; ++k)
    j = (j * 7 + 3) % n;
  y[i] = x[j] * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void last_iteration_value(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T last = 0;
  for (int k = 0; k < 5; ++k)
    last = x[(i + k) % n] * (k + 1);
  y[i] = last * last;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void alternating_update(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T p = x[i], v = 0;
  bool kick = true;
  for (int k = 0; k < 11; ++k) {
    if (kick)
      v -= T(0.3) * sin(p);
    else
      p += T(0.3) * v;
    kick = !kick;
  }
  y[i] = p * v;
}

// What is added to a sum is lost where the new sum is not taken.
// bank: x in [n] -1:1 | w in [k] -1:1 | y out [n] | n = 20 | k = 7
KERNEL void sum_that_is_not_always_taken(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0;
  for (int j = 0; j < k; ++j) {
    T next = sum + w[j] * x[i];
    if (x[i] * w[j] > 0)
      sum = next;
    else if (j > 3)
      break;
  }
  y[i] = sum;
}

// Both are computed from the old sum, and one is taken.
// bank: x in [n] -1:1 | w in [k] -1:1 | y out [n] | n = 20 | k = 7
KERNEL void one_of_two_sums(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0;
  for (int j = 0; j < k; ++j) {
    T more = sum + w[j] * x[i], less = sum - w[j] * w[j] * x[i];
    if (x[i] < T(-0.9))
      break;
    if ((i + j) % 3 == 0) {
      sum = more;
      continue;
    }
    if ((i + j) % 3 == 2)
      sum = less;
  }
  y[i] = sum;
}

// Sums in a loop that goes backwards for something else, left in several ways.
// bank: x in [n] 0.1:1 | w in [k] -1:1 | y out [n] | n = 20 | k = 9
KERNEL void sums_beside_a_state(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = x[i], sum = x[i] * x[i], total = 0;
  for (int j = 0; j < k; ++j) {
    state = state * (1 + T(0.3) * w[j]) + T(0.2) * sin(state);
    T next = sum + state * w[j];
    if (w[j] > 0)
      sum = next;
    else if (state > T(1.2)) {
      total += next;
      break;
    }
    total += state * x[i];
    if (j > i / 2)
      break;
    sum += w[j] * w[j];
  }
  y[i] = sum * total;
}

// The sum of an inner loop is part of that of the outer one, which carries a state, too.
// bank: x in [n] 0.1:1 | w in [k] -1:1 | y out [n] | n = 12 | k = 6
KERNEL void sums_through_nested_loops(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = x[i], sum = 0;
  for (int j = 0; j < k; ++j) {
    T inner = state;
    for (int l = j; l < k; ++l) {
      if (w[l] < T(-0.5))
        continue;
      sum += w[l] * inner;
      inner = inner * w[l] + T(0.1) * x[i];
      if (l > j + 2)
        break;
      sum -= T(0.5) * inner;
    }
    state = cos(state + T(0.1) * inner);
  }
  y[i] = sum + state;
}

// What is computed before it is known whether it counts.
// bank: x in [n] -1:1 | w in [k] -1:1 | y out [n] | n = 20 | k = 9
KERNEL void most_are_passed_over(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T left = 1, sum = 0;
  for (int j = 0; j < k; ++j) {
    T distance = x[i] - w[j], near = exp(-distance * distance), weight = near / (1 + near * near);
    if (distance < T(-0.3))
      continue;
    T scaled = weight * w[j] * w[j];
    switch (j % 4) {
    case 0:
      sum += left * scaled;
      break;
    case 1:
      sum += left * near;
      [[fallthrough]];
    case 2:
      left *= 1 - T(0.5) * weight;
      break;
    default:
      if (near < T(0.5))
        continue;
      for (int l = 0; l < 3; ++l)
        left = left - T(0.1) * scaled * left * (l + 1);
    }
    if (left < T(0.3))
      break;
  }
  y[i] = sum + left;
}

// Inner loops are linear in what they carry, and only what they leave is read by the derivative of the outer one.
// bank: x in [n] 0.1:1 | w in [k] -1:1 | y out [n] | n = 12 | k = 5
KERNEL void linear_inner_loops(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T first = x[i], second = 1;
  for (int j = 0; j < k; ++j) {
    for (int l = 0; l < k; ++l) {
      first = T(0.4) * (first + second);
      for (int m = 0; m < k; ++m) {
        if ((m + i) % 3 == 0)
          second += T(0.2);
        second += T(0.1) * x[i] - T(0.3) * first;
      }
    }
    second = T(0.6) / (T(1.5) + second * second) - first;
    if (w[j] > T(0.9))
      break;
  }
  y[i] = first - second;
}

// A pointer that only the stores go along, in loops that are reversed for something else; what is stored is read later.
// bank: x in [n] 0.2:1 | w in [k] 0.3:1 | m in i32 [k] 1:2 | y out [n] | n = 9 | k = 4
KERNEL void places_stored_on_the_way(const T *x, const T *w, const int *m, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  int places[16] = {};
  T sum = 0, state = 1, last = 0;
  for (int j = 0; j < k; ++j)
    places[j] = (3 * j + i + m[j]) % n;
  for (int j = 0; j < k; ++j)
    sum += sin(x[places[j]] * w[j]);
  int *to = places + 4;
  for (int j = 0; j < k; ++j) {
    state = sin(state * x[(i + j) % n]) + w[j];
    *to = (j + i + m[j]) % n;
    to += m[j];
  }
  const T *from = w;
  for (int j = 0; j + 1 < k; ++j) {
    sum += x[(i + 2 * j) % n] * w[j];
    last = *from;
    from += m[j] % 2;
  }
  for (int j = 0; j < k; ++j)
    sum += cos(x[places[4 + j]] * w[j]);
  y[i] = sum + state * last;
}

// A remainder by what a loop carries and only its last value is asked for.
// bank: x in [n] 0.2:1 | w in [k] 0.3:1 | y out [n] | n = 9 | k = 5
KERNEL void remainder_read_after_the_loop(const T *x, const T *w, T *y, int n, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = x[i];
  int divisor = 1, rest = 0;
  for (int j = 0; j < k; ++j) {
    state = cos(state * w[j]);
    rest = (i + 7 * j) % divisor;
    divisor += i % 2 + 1;
  }
  y[i] = state * x[rest % n] * x[rest % n];
}

// -- integers of a thread that inner loops read or change, and later iterations of the outer one ---------------------

// bank: x in [n, 4] -1:1 | at in i32 [m] 0:4 | y out [n] | n = 8 | m = 5
KERNEL void places_that_change(const T *x, const int *at, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  int places[4] = {0, 1, 2, 3};
  T sum = 0;
  for (int k = 0; k < m; ++k) {
    T product = 1;
    for (int j = 0; j < m; ++j) {
      const int now = places[at[j]];
      places[at[j]] = places[0];
      places[0] = now;
      product *= x[4 * i + now];
    }
    sum += product * (k + 1);
  }
  y[i] = sum;
}

// bank: x in [n, 4] -1:1 | at in i32 [m] 0:4 | y out [n] | n = 8 | m = 5
KERNEL void counted_in_inner_loops(const T *x, const int *at, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  int counts[4] = {};
  T sum = 0;
  for (int k = 0; k < m; ++k) {
    T product = 1;
    for (int j = 0; j < m; ++j)
      product *= x[4 * i + counts[at[j]]++ % 4];
    for (int j = 0; j < k; ++j)
      sum += product * x[4 * i + counts[at[j]] % 4];
  }
  y[i] = sum;
}

// bank: x in [n, 4] -1:1 | at in i32 [m] 0:4 | y out [n] | n = 8 | m = 5
KERNEL void stack_between_iterations(const T *x, const int *at, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  int stack[40], top = 1;
  stack[0] = 0;
  T sum = 0;
  for (int k = 0; k < m; ++k) {
    T v = 1;
    for (int j = 0; j < m && top > 0; ++j) {
      const int entry = stack[--top];
      v = sin(v) * x[4 * i + entry % 4];
      stack[top++] = entry + 1;
      stack[top++] = entry + at[j];
    }
    sum += v * (k + 1);
  }
  y[i] = sum;
}

// bank: x in [n, 4] -1:1 | at in i32 [m] 0:4 | y out [n] | n = 8 | m = 5
KERNEL void table_changed_behind_a_loop(const T *x, const int *at, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  int table[4] = {0, 1, 2, 3};
  T sum = 0;
  for (int k = 0; k < m; ++k) {
    T v = 0;
    for (int j = 0; j < m; ++j)
      v += sin(x[4 * i + table[at[j]]]) * (j + 1);
    sum += v * v;
    const int now = table[at[k]];
    table[at[k]] = table[0];
    table[0] = now;
  }
  y[i] = sum;
}
