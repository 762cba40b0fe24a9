// Shared arrays of structs with padding, and with integers beside numbers.
#include "bank.h"

template <class T> struct alignas(2 * sizeof(T)) Two {
  T x, y;
};
template <class T> struct alignas(4 * sizeof(T)) Three {
  T x, y, z;
};

// bank: p in [96,3] -1:1 | y out [96] | n = 90 | @block 32 | @grid 3
KERNEL void padded_vectors(const T *p, T *y, int n) {
  __shared__ Three<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = i < n ? Three<T>{p[3 * i], p[3 * i + 1], p[3 * i + 2]} : Three<T>{0, 0, 0};
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 32; ++k)
    sum += s[k].x * s[k].y - sin(s[k].z);
  if (i < n)
    y[i] = sum * p[3 * i];
}

template <class T> struct Gaussian {
  Two<T> mean; // and padding behind opacity
  T opacity;
};

// bank: mean in [n,2] -1:1 | opacity in [n] 0:1 | y out [n] | n = 50 | @block 32 | @grid 2
KERNEL void padded_at_the_end(const T *mean, const T *opacity, T *y, int n) {
  __shared__ Gaussian<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  if (i < n) {
    s[t].mean = reinterpret_cast<const Two<T> *>(mean)[i];
    s[t].opacity = opacity[i];
  }
  __syncthreads();
  if (i >= n)
    return;
  T sum = 0;
  for (int k = 0; k < 32 && static_cast<int>(blockIdx.x) * 32 + k < n; ++k)
    sum += s[k].mean.x * s[k].opacity * s[k].opacity + s[k].mean.y * s[k].mean.y;
  y[i] = sum;
}

template <class T> struct alignas(16 * sizeof(T)) Nested {
  Three<T> corners[2];
  T weight; // and padding before center
  Two<T> center;
  T rest[3];
};

// Nested, with arrays, copied as a whole and member by member.
// bank: x in [32,12] -1:1 | y out [32] | n = 32 | @block 32 | @grid 1
KERNEL void padded_and_nested(const T *x, T *y, int n) {
  __shared__ Nested<T> s[32], copied[32];
  int t = threadIdx.x;
  const T *own = x + 12 * t;
  Nested<T> a;
  for (int k = 0; k < 2; ++k)
    a.corners[k] = {own[3 * k], own[3 * k + 1], own[3 * k + 2]};
  a.weight = own[6];
  a.center = {own[7], own[8]};
  for (int k = 0; k < 3; ++k)
    a.rest[k] = own[9 + k];
  s[t] = a;
  __syncthreads();
  copied[t] = s[31 - t];
  __syncthreads();
  Nested<T> b = copied[(t + 3) % 32];
  T sum = b.weight * b.center.x * b.rest[t % 3];
  for (int k = 0; k < 2; ++k)
    sum += b.corners[k].x * b.corners[1 - k].y + copied[t].corners[k].z * b.center.y;
  y[t] = t < n ? sum : T(0);
}

// bank: p in [96,3] -1:1 | y out [96] | n = 90 | @block 32 | @grid 3 | @shared 1024
KERNEL void padded_in_dynamic(const T *p, T *y, int n) {
  extern __shared__ __align__(32) unsigned char raw[];
  auto *s = reinterpret_cast<Three<T> *>(raw);
  int i = thread_index(), t = threadIdx.x;
  s[t] = i < n ? Three<T>{p[3 * i], p[3 * i + 1], p[3 * i + 2]} : Three<T>{0, 0, 0};
  __syncthreads();
  Three<T> a = s[(t + 1) % 32], b = s[31 - t];
  if (i < n)
    y[i] = a.x * b.y * b.y + a.z * b.x;
}

// What lies in the padding is what was copied there.
// bank: p in [n,4] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
KERNEL void padding_that_is_copied(const T *p, T *y, int n) {
  __shared__ Three<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  memcpy(&s[t], p + 4 * i, sizeof(Three<T>));
  __syncthreads();
  Three<T> a = s[31 - t];
  T behind = reinterpret_cast<const T *>(s)[4 * ((t + 1) % 32) + 3];
  if (i < n)
    y[i] = a.x * a.y * behind + a.z * a.z;
}

// Into a local array that stays in memory, and back.
// bank: p in [n,3] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
KERNEL void padded_in_local_array(const T *p, T *y, int n) {
  __shared__ Three<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
  __syncthreads();
  Three<T> mine[4];
  for (int k = 0; k < 4; ++k)
    mine[(k + t) % 4] = s[(t + k) % 32];
  __syncthreads();
  s[t] = mine[t % 3];
  __syncthreads();
  Three<T> a = s[31 - t];
  if (i < n)
    y[i] = a.x * a.y + a.z * mine[(t + 1) % 4].z;
}

// bank: mean in [n,2] -1:1 | scale in [n,3] 0:1 | y out [n] | n = 70 | @block 32 | @grid 3
ONCE_KERNEL void padded_tiles(const T *mean, const T *scale, T *y, int n) {
  struct Splat {
    Two<T> mean;
    T scale[3];
  };
  __shared__ Splat s[32];
  int i = thread_index(), t = threadIdx.x;
  T passed = 1, color = 0;
  bool done = i >= n;
  for (int tile = 0; tile < (n + 31) / 32; ++tile) {
    if (__syncthreads_count(done) == 32)
      break;
    int from = tile * 32 + t;
    if (from < n) {
      s[t].mean = {mean[2 * from], mean[2 * from + 1]};
      for (int k = 0; k < 3; ++k)
        s[t].scale[k] = scale[3 * from + k];
    }
    __syncthreads();
    for (int j = 0; !done && j < min(32, n - tile * 32); ++j) {
      Two<T> d = s[j].mean;
      T a = T(0.2) * s[j].scale[0] * exp(-s[j].scale[1] * d.x * d.x - s[j].scale[2] * d.y * d.y);
      color += a * passed * d.x;
      passed *= 1 - a;
    }
  }
  if (i < n)
    y[i] = color + passed;
}

template <class T> struct Mean {
  T mean;
  int n;
};
template <class T> struct Counted {
  int n;
  T mean;
  bool used;
  T spread[2];
};
template <class T> struct alignas(8 * sizeof(T)) Wide {
  Mean<T> of[2];
  T last;
};

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void means_and_counts(const T *x, T *y) {
  __shared__ Mean<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = Mean<T>{x[i] * x[i], t + 1};
  __syncthreads();
  Mean<T> b = s[31 - t];
  y[i] = b.mean * b.mean / b.n;
}

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void counts_first(const T *x, T *y) {
  __shared__ Counted<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = Counted<T>{t + 1, x[i] * x[i], t % 3 > 0, {x[i], x[i] * x[i] * x[i]}};
  __syncthreads();
  Counted<T> b = s[31 - t];
  y[i] = b.mean * b.mean / b.n + (s[t ^ 1].used ? b.spread[t % 2] * b.spread[0] : T(0));
}

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void padded_with_counts(const T *x, T *y) {
  __shared__ Wide<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t].of[0] = {x[i] * x[i], t};
  s[t].of[1] = {sin(x[i]), 2 * t};
  s[t].last = x[i];
  __syncthreads();
  Wide<T> b = s[31 - t];
  y[i] = b.of[t % 2].mean * b.last + b.of[0].mean * b.of[1].mean * b.of[1].n;
}

// Bytes that are no padding, copied as a whole.
template <class T> struct Tagged {
  T value;
  unsigned char tag[3];
};

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void tagged(const T *x, T *y) {
  __shared__ Tagged<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  Tagged<T> a;
  a.value = x[i] * x[i];
  for (int k = 0; k < 3; ++k)
    a.tag[k] = static_cast<unsigned char>(k + t);
  s[t] = a;
  __syncthreads();
  Tagged<T> b = s[31 - t];
  y[i] = b.value * b.value * b.tag[t % 3];
}

// Nothing reads the count.
// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void unused_counts(const T *x, T *y) {
  __shared__ Mean<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t].mean = x[i] * x[i];
  __syncthreads();
  y[i] = s[31 - t].mean * s[t].mean;
}

// bank: x in [64] -1:1 | y out [2] | @block 32 | @grid 2
KERNEL void merged_means(const T *x, T *y) {
  __shared__ Mean<T> s[32];
  int t = threadIdx.x;
  s[t] = {x[thread_index()], t % 2 + 1};
  __syncthreads();
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    if (t < o) {
      Mean<T> a = s[t], b = s[t + o];
      int n = a.n + b.n;
      s[t] = {(a.mean * a.n + b.mean * b.n) / n, n};
    }
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = s[0].mean * s[0].mean;
}

// The second derivative has to tell the gradients of one array from the counts of the other.
// bank: x in [64] -1:1 | k in i32 [64] 0:2 | y out [64] | @block 32 | @grid 2 | @shared 384
KERNEL void cut_by_pointers(const T *x, const int *k, T *y) {
  extern __shared__ __align__(8) unsigned char raw[];
  auto *value = reinterpret_cast<T *>(raw);
  auto *chosen = reinterpret_cast<int *>(value + 32);
  int i = thread_index(), t = threadIdx.x;
  value[t] = x[i] * x[i];
  chosen[t] = k[i];
  __syncthreads();
  y[i] = chosen[31 - t] ? value[31 - t] * value[t] : T(0);
}

template <class T> struct Mixed {
  double wide;
  float narrow;
  int n;
};

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void numbers_of_two_types(const T *x, T *y) {
  __shared__ Mixed<T> s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = {double(x[i]) * double(x[i]), float(x[i]), t};
  __syncthreads();
  Mixed<T> b = s[31 - t];
  y[i] = T(b.wide * b.wide) * x[i] + T(0) * T(b.narrow) * b.n;
}
