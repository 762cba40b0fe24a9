// Pointers and references that lead to one of several places: chosen, swapped, moved, null.
#include "bank.h"
#include <algorithm>
#include <array>

// bank: x in [n] -2:2 | w in [n] -1:1 | y out [n] | n = 40
KERNEL void standard_library_by_reference(const T *x, const T *w, T *y, int n) {
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

// bank: x in [n, 3] -1:1 | k in i32 [n] 0:7 | y out [n] | n = 30
ONCE_KERNEL void swapped_buffers(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3] = {x[3 * i], x[3 * i + 1], 1}, b[3] = {1, 2, x[3 * i + 2]};
  T *from = a, *to = b;
  for (int j = 0; j < k[i]; ++j) {
    to[j % 3] = sin(from[(j + 1) % 3]) + x[3 * i] * to[(j + 2) % 3];
    std::swap(from, to);
  }
  y[i] = from[0] * from[1] + to[2];
}

// bank: x in [n] -1:1 | w in [n] -1:1 | k in i32 [n] 0:7 | y out [n] | n = 30
KERNEL void variable_or_tensor(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T own = x[i] * 2;
  T *target = nullptr;
  const T *source = k[i] % 2 ? w + i : &own;
  if (k[i] % 3)
    target = &own;
  if (target)
    *target = *source * *source;
  y[i] = own + *source;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | k in i32 [n] 0:4 | y out [n] | n = 30
KERNEL void pointer_that_moves_and_changes(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[4] = {x[i], x[i] * w[i], 2, w[i]}, b[5] = {w[i], 1, x[i], 3, x[i] - w[i]};
  const T *p = k[i] == 1 ? a : b;
  T sum = 0;
  for (int j = 0; j < k[i]; ++j) {
    sum += *p++ * T(j + 1);
    if (j == 1)
      p = x[i] > 0 ? b + 1 : a + 1;
  }
  y[i] = sum;
}

template <class T> struct Slot {
  T value;
  int uses;
  T history[2];
};

// bank: x in [n, 2] -1:1 | k in i32 [n] 0:9 | y out [n] | n = 30
ONCE_KERNEL void array_of_mixed_structs(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Slot<T> slots[3] = {{x[2 * i], 0, {1}}, {x[2 * i + 1], 1, {}}, {T(0.5), 2, {x[2 * i]}}};
  for (int j = 0; j < k[i]; ++j) {
    Slot<T> &slot = slots[(k[i] + j) % 3];
    slot.history[slot.uses % 2] = slot.value * x[2 * i + 1];
    slot.value = sin(slot.value) + slot.history[0];
    ++slot.uses;
  }
  Slot<T> copy = slots[k[i] % 3];
  slots[0] = copy;
  y[i] = copy.value + copy.history[copy.uses % 2] * slots[1].value + T(slots[2].uses) * slots[0].history[1];
}

// bank: x in [n, 2] -1:1 | k in i32 [n] 0:9 | y out [n] | n = 30
KERNEL void chosen_structs(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Slot<T> first{x[2 * i], 1, {x[2 * i + 1], 2}}, second{x[2 * i + 1], 2, {3, x[2 * i]}};
  Slot<T> &chosen = k[i] % 2 ? first : second, &other = k[i] % 2 ? second : first;
  chosen.value *= other.history[k[i] % 2];
  std::swap(first, second);
  Slot<T> copy = k[i] % 3 ? chosen : other;
  y[i] = copy.value * T(copy.uses) + first.value * second.history[1];
}

// bank: x in [n, 4] -1:1 | k in i32 [n] 0:5 | y out [n, 4] | n = 30
KERNEL void memmove_of_computed_length(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[6] = {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3], 1, 2};
  memcpy(a + 1, x + 4 * i, sizeof(T) * (k[i] % 4));
  memset(a, 0, sizeof(T) * (k[i] % 2));
  for (int j = 0; j < 4; ++j)
    y[4 * i + j] = a[j] * a[j + 1];
}

template <class T> struct Use {
  T value;
  int times;
};

// bank: x in [n, 4] -1:1 | k in i32 [n] 0:5 | y out [n] | n = 30
KERNEL void structs_of_computed_number(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Use<T> a[4], b[4];
  std::array<Use<T>, 4> c;
  for (int j = 0; j < 4; ++j) {
    a[j] = {x[4 * i + j], j + 1};
    b[j] = c[j] = {T(1), 2};
  }
  memcpy(b, a, sizeof(Use<T>) * k[i]);
  std::copy(a + k[i] % 3, a + 3, c.data());
  T sum = 0;
  for (int j = 0; j < 4; ++j)
    sum += b[j].value * b[j].value * b[j].times * c[j].value * c[j].times;
  y[i] = sum;
}

template <class T> struct Row {
  int uses;
  T values[70];
};

// bank: x in [n, 4] -1:1 | k in i32 [n] 0:5 | y out [n] | n = 30
ONCE_KERNEL void members_of_computed_number(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Row<T> a, b;
  a.uses = b.uses = 3;
  for (int j = 0; j < 70; ++j) {
    a.values[j] = x[4 * i + j % 4] * j;
    b.values[j] = T(0.5);
  }
  memcpy(b.values + 1, a.values + k[i], sizeof(T) * (60 + k[i]));
  memcpy(a.values, b.values, sizeof a.values);
  y[i] = a.values[k[i]] * a.values[5] * a.values[62] * b.uses + a.values[69];
}

template <class T> __device__ T squared(T v, T s) { return v * v * s; }
template <class T> __device__ T waved(T v, T s) { return sin(v * s); }

// bank: x in [n] -1:1 | k in i32 [n] 0:5 | y out [n] | n = 30
KERNEL void chosen_function(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T (*function)(T, T) = k[i] % 2 ? squared<T> : waved<T>;
  T v = x[i];
  for (int j = 0; j < k[i]; ++j) {
    v = function(v, T(0.8)) + x[i];
    if (j == 2)
      function = waved<T>;
  }
  y[i] = v;
}

// bank: x in [n, 2] -1:1 | w in [4] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 30
ONCE_KERNEL void table_of_rows(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[2] = {x[2 * i], w[1]}, b[2] = {1, x[2 * i + 1]};
  const T *rows[4] = {a, b, w, w + 2};
  T *columns[2] = {a, b};
  for (int j = 0; j < k[i]; ++j) {
    columns[(j + k[i]) % 2][j % 2] += sin(rows[(j + i) % 4][(j + 1) % 2]);
    if (j % 3 == 1)
      std::swap(rows[j % 4], rows[(j + 2) % 4]);
  }
  y[2 * i] = a[0] * b[1];
  y[2 * i + 1] = rows[k[i] % 4][1] * b[0];
}

// bank: x in [n, 8] -1:1 | k in i32 [n] 0:8 | y out [n, 8] | n = 30
ONCE_KERNEL void rotated(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[8];
  for (int j = 0; j < 8; ++j)
    a[j] = x[8 * i + j] * (j + 1);
  std::rotate(a, a + k[i], a + 8);
  __builtin_memmove(a + k[i] % 3, a + 1, sizeof(T) * (k[i] % 5));
  for (int j = 0; j < 8; ++j)
    y[8 * i + j] = a[j] * a[(j + 1) % 8];
}

// bank: x in [n] -1:1 | w in [n] -1:1 | z in [n] -1:1 | k in i32 [n] 0:4 | y out [n] | n = 30
KERNEL void tensor_read_once(const T *x, const T *w, const T *z, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *p;
  switch (k[i]) {
  case 0:
    p = x;
    break;
  case 1:
    p = w;
    break;
  default:
    p = z;
  }
  y[i] = p[i] * p[i];
}

// bank: x in [n] -1:1 | w in [n] -1:1 | k in i32 [n] 0:2 | y out [2, n] | n = 30
KERNEL void tensor_of_call(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto at = [&](const T *p) { return sin(p[i]); };
  y[i] = at(k[0] ? x : w);
  const T *later = k[i] ? w + i : x + (n - 1);
  const T *either = i % 3 ? later : x;
  y[n + i] = *either * T(0.5);
}

// bank: x in [n] -1:1 | k in i32 [n] 0:2 | y out [n] | z out [n] | n = 30
KERNEL void tensor_written_once(const T *x, const int *k, T *y, T *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = z[i] = 0;
  (k[i] ? y : z)[i] = x[i] * x[i];
}

// bank: x in [n] -1:1 | w in [n] -1:1 | k in i32 [n] 0:6 | y out [n] | n = 30
KERNEL void variable_then_tensor(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T u = 3, t = 4, s = 1;
  (k[i] & 1 ? u : t) = 2;
  const T *p = x + i;
  if (k[n - 1 - i] & 1) {
    p = w + k[i];
    for (int q = 0; q < k[i]; ++q)
      s *= T(0.5);
  }
  y[i] = *p * u + t * s;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | k in i32 [n] 0:6 | y out [n] | n = 30
KERNEL void kept_variable_or_tensor(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::store]] T v = w[1];
  [[kernix::recompute]] T u = 3;
  T t = 4;
  (k[i] & 1 ? u : t) = 1;
  T p = std::max(x[i], v);
  v = w[2] * x[i];
  y[i] = v * p + std::min(u, t) * std::max(x[i] * 2, v);
}
