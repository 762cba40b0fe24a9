// Active bytes that are looked at as something else.
#include "../kernels/bank.h"

PLAIN_KERNEL void cast_to_integer_pointer(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = x[i];
  // refused: integer|bits|bytes
  int bits = 0x5f3759df - (*reinterpret_cast<int *>(&v) >> 1);
  float r = *reinterpret_cast<float *>(&bits);
  y[i] = r * (1.5f - 0.5f * v * r * r);
}

PLAIN_KERNEL void bits_by_intrinsic(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: integer|bits|bytes
  y[i] = __int_as_float(__float_as_int(x[i]) + (1 << 20));
}

PLAIN_KERNEL void union_of_active(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  union {
    float value;
    unsigned bits;
  } u;
  u.value = x[i];
  // refused: integer|bits|bytes
  u.bits += 0x00080000u;
  y[i] = u.value;
}

PLAIN_KERNEL void bytes_shuffled(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = x[i];
  unsigned char bytes[4];
  memcpy(bytes, &v, 4);
  bytes[3] ^= 0x40;
  // refused: integer|bits|bytes
  memcpy(&v, bytes, 4);
  y[i] = v;
}

PLAIN_KERNEL void tensor_read_as_integers(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: integer|bits|bytes
  int bits = reinterpret_cast<const int *>(x)[i] & 0x7fff0000;
  y[i] = __int_as_float(bits);
}

__device__ inline void set_multiples(double *values, double of) {
  for (int j = 0; j < 4; ++j)
    values[j] = of * (j + 1);
}

// Bytes of numbers, as many as the caller says.
PLAIN_KERNEL void parts_of_numbers(const double *x, double *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  double from[4], to[4] = {1, 1, 1, 1};
  set_multiples(from, x[i]);
  // refused: whole numbers
  memcpy(reinterpret_cast<char *>(to) + 2, reinterpret_cast<const char *>(from) + 2, 6 + 8 * m);
  y[i] = to[0] * to[1];
}

PLAIN_KERNEL void any_bytes(const double *x, double *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  double from[4], to[4] = {1, 1, 1, 1};
  set_multiples(from, x[i]);
  // refused: whole numbers
  memcpy(to, from, m);
  y[i] = to[0] * to[1];
}

// Whole numbers in length only: halves of two of them.
PLAIN_KERNEL void between_numbers(const double *x, double *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  double from[4], to[4] = {1, 1, 1, 1};
  set_multiples(from, x[i]);
  // refused: whole numbers
  memcpy(reinterpret_cast<char *>(to) + 4, reinterpret_cast<const char *>(from) + 4, 8 * m);
  y[i] = to[0] * to[1];
}

PLAIN_KERNEL void between_numbers_of_a_tensor(const double *x, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double v;
  // refused: integer|bits|bytes
  memcpy(&v, reinterpret_cast<const char *>(x + i) + 4, 8);
  y[i] = v * x[i];
}

// As many bytes as 32 bits keep of the product.
PLAIN_KERNEL void wrapped_lengths(const float *x, float *y, int n, unsigned m) {
  struct Mixed {
    float a;
    int k;
    float b;
  };
  int i = thread_index();
  if (i >= n)
    return;
  Mixed from[4], to[4] = {};
  for (int j = 0; j < 4; ++j)
    from[j] = {x[i] * j, j, x[i]};
  // refused: whole numbers
  memcpy(to, from, m * 12u);
  y[i] = to[1].a * to[2].b * to[3].k;
}

// Wholes of the first member, not of the struct.
PLAIN_KERNEL void parts_of_structs(const double *x, double *y, int n, int m) {
  struct Mixed {
    float a, b;
    double c;
  };
  int i = thread_index();
  if (i >= n)
    return;
  Mixed from[4], to[4] = {};
  for (int j = 0; j < 4; ++j)
    from[j] = {static_cast<float>(x[i]), 1, x[i] * x[i] * j};
  // refused: whole numbers
  memcpy(to, from, m * sizeof(float));
  y[i] = to[1].c * to[2].a;
}
