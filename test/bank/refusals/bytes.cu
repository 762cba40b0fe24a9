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
