// What threads do with variables of their own is no effect: the first thread's test may come after it.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %toolkit-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu, cuda
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void
#define GLOBAL_INDEX int(blockIdx.x *blockDim.x + threadIdx.x)

//===--- Own variables

// CHECK: kernel halves{{.*}}] only-x{{$}}
KERNEL halves(const __half *x, __half *y, float scale) {
  int i = GLOBAL_INDEX;
  __half s = __float2half(scale);
  float v = __half2float(x[0]) * __half2float(s);
  if (i == 0)
    y[0] = __float2half(v);
}
// CHECK: kernel halfOperators{{.*}}] only-x{{$}}
KERNEL halfOperators(const __half *x, const __nv_bfloat16 *b, __half *y) {
  __half s = x[0] * __half(2.0f), t = s;
  t += s;
  float v = float(t) + __bfloat162float(b[0]) + float(__hmul(s, t));
  if (GLOBAL_INDEX == 0)
    y[0] = v;
}
struct Generator {
  unsigned state;
  unsigned history[4] = {};
  __device__ explicit Generator(unsigned seed) { reset(seed); }
  __device__ void reset(unsigned seed) { state = seed * 747796405u + 1; }
  __device__ unsigned next() {
    state ^= state << 13;
    for (unsigned &each : history)
      each += state;
    return mix(&state);
  }
  __device__ float uniform() { return next() * 0x1p-32f; }
  __device__ static unsigned mix(unsigned *s) { return *s *= 3u; }
};
// CHECK: kernel generator{{.*}}] only-x{{$}}
KERNEL generator(float *y, unsigned seed) {
  int i = GLOBAL_INDEX;
  Generator g(seed), copy = g;
  g.next();
  copy = g;
  float v = copy.uniform();
  if (i == 0)
    y[0] = v;
}
// CHECK: kernel results{{.*}}] only-x{{$}}
KERNEL results(const float *x, float *y) {
  int e;
  float m = frexpf(x[0], &e), s, c, whole;
  sincosf(m, &s, &c);
  float f = modff(x[0], &whole);
  if (GLOBAL_INDEX != 0)
    return;
  y[0] = m * s * c * f * whole * e;
}
// CHECK: kernel declaredLambda{{.*}}] only-x{{$}}
KERNEL declaredLambda(const float *x, float *y, int n) {
  auto put = [&](int k, float v) { y[k] = v; };
  auto put_any = [=](auto k) { atomicAdd(y, float(k)); };
  int i = GLOBAL_INDEX;
  if (i == 0) {
    put(0, n);
    put_any(1);
  }
}
// CHECK: kernel calledLambda{{.*}}] only-x{{$}}
KERNEL calledLambda(const float *x, float *y, int n) {
  float sum = 0;
  auto add = [&](float v) { sum += v; };
  auto count = [k = 0]() mutable { return ++k; };
  for (int k = 0; k < n; ++k)
    add(x[k] * count());
  if (GLOBAL_INDEX == 0)
    y[0] = sum;
}
struct Vector {
  float v[3];
  __device__ float &operator[](int k) { return v[k]; }
  __device__ Vector &operator+=(const Vector &o) {
    for (int k = 0; k < 3; ++k)
      (*this)[k] += o.v[k];
    return *this;
  }
  __device__ void scale(float s) {
    float *p = v;
    auto by = [&] { *p++ *= s, v[2] += 0; };
    by();
  }
};
template <class T> __device__ void exchange(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
template <class F> __device__ void repeat(int n, F &&f) {
  for (int k = 0; k < n; ++k)
    f(k);
}
__device__ float *largest(float *a, float *b) { return *a > *b ? a : b; }
// CHECK: kernel through{{.*}}] only-x{{$}}
KERNEL through(const float *x, float *y, int n) {
  Vector a{{x[0], x[1], x[2]}}, b{};
  (b += a) += a;
  b[1] = 3;
  exchange(a, b);
  exchange(a[0], b[1]);
  a.scale(2);
  *largest(&a[0], a.v + 1) = 1;
  float own[4], *p = own, &r = own[2], (&all)[4] = own;
  repeat(n, [&](int k) { all[k & 3] = r = *p++ = x[k]; });
  reinterpret_cast<unsigned &>(own[0]) ^= 1;
  memcpy(own, &a, sizeof a);
  auto &[first, second, third] = a.v;
  first = second;
  if (GLOBAL_INDEX == 0)
    y[0] = own[0] + third + b.v[2];
}
// CHECK: kernel globalIndex{{.*}}] only-x{{$}}
KERNEL globalIndex(float *y) {
  if (kernix::global_index().x == 0)
    y[0] = gridDim.x;
}

//===--- Ways to the first thread

// CHECK: kernel byVariable{{.*}}] only-x{{$}}
KERNEL byVariable(const float *x, float *y) {
  int i = GLOBAL_INDEX;
  const bool is_first = i == 0, is_other = !is_first;
  if (is_first)
    y[0] = x[0];
  if (is_other)
    return;
  y[1] = x[1];
}
// CHECK: kernel inBlocks{{.*}}] only-x{{$}}
KERNEL inBlocks(const float *x, float *y, int n) {
  {
    float t = x[0];
    if (n > 3) {
      if (threadIdx.x)
        return;
      if (blockIdx.x == 0)
        y[0] = t;
    }
  }
}
// CHECK: kernel inElse{{.*}}] only-x{{$}}
KERNEL inElse(const float *x, float *y, int n) {
  if (GLOBAL_INDEX) {
    if (n > 1)
      return;
    return;
  } else
    y[0] = x[0];
  y[1] = x[1];
}
// CHECK: kernel leftByOthers{{.*}}] only-x{{$}}
KERNEL leftByOthers(const float *x, float *y, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    y[0] = 1;
  } else {
    return;
  }
  y[1] = x[1];
}
// CHECK: kernel firstOfEachBlock{{.*}}] only-x shared-output{{$}}
KERNEL firstOfEachBlock(const float *x, float *y) {
  const bool is_first = threadIdx.x == 0;
  if (is_first)
    y[0] = x[blockIdx.x];
}
// CHECK: kernel changedVariable{{.*}}] only-x shared-output{{$}}
KERNEL changedVariable(const float *x, float *y) {
  bool is_first = GLOBAL_INDEX == 0;
  is_first |= x[0] > 0;
  if (is_first)
    y[0] = 1;
}
// CHECK: kernel otherBranch{{.*}}] only-x shared-output{{$}}
KERNEL otherBranch(const float *x, float *y) {
  if (GLOBAL_INDEX == 0)
    y[0] = x[0];
  else
    y[1] = x[0];
}
// CHECK: kernel someLeave{{.*}}] only-x shared-output{{$}}
KERNEL someLeave(const float *x, float *y, int n) {
  if (GLOBAL_INDEX) {
    if (n > 1)
      return;
  }
  y[0] = x[0];
}
// CHECK: kernel narrow{{.*}}] only-x shared-output{{$}}
KERNEL narrow(const float *x, float *y) {
  const char low = GLOBAL_INDEX;
  if (low)
    return;
  y[0] = x[0];
}

//===--- Those of others. Where it is not known what becomes of y, the atomic function tells.

// CHECK: kernel byReference{{.*}}] only-x shared-output{{$}}
KERNEL byReference(const float *x, float *y) {
  float t = x[GLOBAL_INDEX];
  exchange(t, y[0]);
  if (GLOBAL_INDEX == 0)
    y[1] = t;
}
// CHECK: kernel byPointer{{.*}}] only-x shared-output{{$}}
KERNEL byPointer(const float *x, float *y) {
  float own, *p = &own;
  p = y + 1;
  *p = x[GLOBAL_INDEX];
  if (GLOBAL_INDEX == 0)
    y[0] = own;
}
// CHECK: kernel byPointerToPointer{{.*}}] only-x shared-output{{$}}
KERNEL byPointerToPointer(const float *x, float *y) {
  float own, *p = &own, **q = &p, *&r = p;
  *q = y;
  r = y;
  *p = GLOBAL_INDEX;
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(own));
}
// CHECK: kernel byLambda{{.*}}] only-x shared-output{{$}}
KERNEL byLambda(const float *x, float *y) {
  auto put = [&](float v) { y[0] = v; };
  put(x[GLOBAL_INDEX]);
  if (GLOBAL_INDEX == 0)
    y[1] = 1;
}
// CHECK: kernel byFunction{{.*}}] only-x shared-output{{$}}
KERNEL byFunction(const float *x, float *y) {
  float own = x[GLOBAL_INDEX];
  *largest(&own, y) = 2;
  if (GLOBAL_INDEX == 0)
    y[1] = own;
}
// CHECK: kernel ofShared{{.*}}] only-x shared-output{{$}}
KERNEL ofShared(const float *x, float *y) {
  __shared__ Vector sum;
  sum.scale(x[GLOBAL_INDEX]);
  if (GLOBAL_INDEX == 0)
    y[0] = sum.v[0];
}
__device__ float total;
__device__ float &result() { return total; }
// CHECK: kernel ofGlobal{{.*}}] only-x shared-output{{$}}
KERNEL ofGlobal(const float *x, float *y) {
  result() = x[GLOBAL_INDEX];
  if (GLOBAL_INDEX == 0)
    y[0] = total;
}
// CHECK: kernel byLibrary{{.*}}] only-x shared-output{{$}}
KERNEL byLibrary(const float *x, float *y, int *e) {
  float m = frexpf(x[GLOBAL_INDEX], e);
  if (GLOBAL_INDEX == 0)
    y[0] = m;
}
// CHECK: kernel byChosenPointer{{.*}}] only-x shared-output{{$}}
KERNEL byChosenPointer(const float *x, float *y, int n) {
  float a, *p = &a, *q = &a, *&r = n ? p : q;
  (n > 1 ? p : q) = &a;
  const_cast<float *&>(r) = y;
  *q = GLOBAL_INDEX;
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(a));
}
// CHECK: kernel byBits{{.*}}] only-x shared-output{{$}}
KERNEL byBits(const float *x, float *y) {
  float a, *p = &a;
  memcpy(&p, &y, sizeof p);
  *p = GLOBAL_INDEX;
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(a));
}
struct Out {
  float *p;
  float &r;
  __device__ void put(float v) const { *p = v; }
};
// CHECK: kernel inObject{{.*}}] only-x shared-output{{$}}
KERNEL inObject(const float *x, float *y) {
  Out out{y, y[1]};
  out.put(x[GLOBAL_INDEX]);
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(1));
}
struct AtEnd {
  float *p;
  __device__ ~AtEnd() { *p = GLOBAL_INDEX; }
};
// CHECK: kernel inDestructor{{.*}}] only-x shared-output{{$}}
KERNEL inDestructor(const float *x, float *y) {
  AtEnd end{y};
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(1));
}
struct Counter {
  float *at;
  int n = 0;
  __device__ void count() {
    [this] { ++n; }();
  }
  __device__ void countThere() { *at += 1; }
};
// CHECK: kernel inOwnObject{{.*}}] only-x{{$}}
KERNEL inOwnObject(const float *x, float *y) {
  Counter c{y};
  c.count();
  if (GLOBAL_INDEX == 0)
    c.countThere();
}
// CHECK: kernel byObject{{.*}}] only-x shared-output{{$}}
KERNEL byObject(const float *x, float *y) {
  Counter c{y};
  c.countThere();
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, float(c.n));
}
// CHECK: kernel inReference{{.*}}] only-x shared-output{{$}}
KERNEL inReference(const float *x, float *y) {
  Out out{y, y[1]};
  out.r = x[GLOBAL_INDEX];
  if (GLOBAL_INDEX == 0)
    y[0] = 1;
}
// CHECK: kernel jumpsOver{{.*}}] only-x shared-output{{$}}
KERNEL jumpsOver(const float *x, float *y) {
  int i = GLOBAL_INDEX;
  if (x[i] > 0)
    goto write;
  if (i)
    return;
write:
  y[0] = 1;
}

//===--- Sums that may be zero in other threads

// CHECK: kernel sumOfValue{{.*}}] only-x shared-output{{$}}
KERNEL sumOfValue(const float *x, float *y) {
  if (GLOBAL_INDEX + (int)x[GLOBAL_INDEX] == 0)
    atomicAdd(y, 1.f);
}
// CHECK: kernel sumInVariable{{.*}}] only-x shared-output{{$}}
KERNEL sumInVariable(const int *x, float *y) {
  int k = blockDim.x * x[GLOBAL_INDEX] + GLOBAL_INDEX;
  if (k)
    return;
  atomicAdd(y, 1.f);
}
// Of negative n it is zero in several threads.
// CHECK: kernel sumOfParameter{{.*}}] only-x shared-output{{$}}
KERNEL sumOfParameter(const float *x, float *y, int n) {
  if (int(threadIdx.x + blockIdx.x) + n == 0)
    atomicAdd(y, x[0]);
}
// CHECK: kernel sumOfIds{{.*}}] only-x{{$}}
KERNEL sumOfIds(const float *x, float *y) {
  if (threadIdx.x + blockIdx.x == 0)
    atomicAdd(y, x[0]);
}
// CHECK: kernel bitsOfValue{{.*}}] only-x{{$}}
KERNEL bitsOfValue(const int *x, float *y) {
  if (GLOBAL_INDEX | x[GLOBAL_INDEX])
    return;
  atomicAdd(y, 1.f);
}

//===--- What the other pass alone sees

__device__ void accumulate(float *p, float v) { atomicAdd(p, v); }
__device__ void hiddenAssignment(float *p, float v) {
#ifdef __CUDA_ARCH__
  *p += v;
#endif
}
__device__ void hiddenAssembly(float *p, float v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(v));
#endif
}
__device__ void hiddenCall(float *p, float v) {
#ifndef __CUDA_ARCH__
#else
  accumulate(p, v);
#endif
}
__device__ void hiddenPlainAssignment(float *p, float v) {
#ifdef __CUDA_ARCH__
  p[0] = v;
#endif
}
#define PUT_ONE *p = 1
__device__ void hiddenMacro(float *p) {
#ifdef __CUDA_ARCH__
  PUT_ONE;
#endif
}
struct HiddenFunctor {
  float *p;
  __device__ void operator()(float v) const {
#ifdef __CUDA_ARCH__
    accumulate(p, v);
#endif
  }
};
struct HiddenConstructor {
  __device__ HiddenConstructor(float *p) {
#ifdef __CUDA_ARCH__
    ++*p;
#endif
  }
};
#define HIDDEN(name, statement)                                                                                        \
  KERNEL name(const float *x, float *y) {                                                                              \
    float v = x[GLOBAL_INDEX];                                                                                         \
    statement;                                                                                                         \
    if (GLOBAL_INDEX == 0)                                                                                             \
      atomicAdd(y, v);                                                                                                 \
  }
// CHECK: kernel byHiddenAssignment{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenAssignment, hiddenAssignment(y, v))
// CHECK: kernel byHiddenAssembly{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenAssembly, hiddenAssembly(y, v))
// CHECK: kernel byHiddenCall{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenCall, hiddenCall(y, v))
// CHECK: kernel byHiddenPlainAssignment{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenPlainAssignment, hiddenPlainAssignment(y, v))
// CHECK: kernel byHiddenMacro{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenMacro, hiddenMacro(y))
// CHECK: kernel byHiddenFunctor{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenFunctor, HiddenFunctor{y}(v))
// CHECK: kernel byHiddenConstructor{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenConstructor, HiddenConstructor hidden(y))
__device__ void hiddenElse(float &p, float v) {
#ifdef __CUDA_ARCH__
  if (v < 0)
    return;
  else p = v;
#endif
}
// CHECK: kernel byHiddenElse{{.*}}] only-x shared-output{{$}}
HIDDEN(byHiddenElse, hiddenElse(*y, v))
// CHECK: kernel inKernel{{.*}}] only-x shared-output{{$}}
KERNEL inKernel(const float *x, float *y) {
#ifdef __CUDA_ARCH__
  accumulate(y, x[1]);
#endif
  if (GLOBAL_INDEX == 0)
    atomicAdd(y, 1.f);
}
__device__ float reciprocal(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 200
  const float half = __fdividef(0.5f, x);
  float whole = 2 * half;
  if (whole > 1)
    return static_cast<float>(rsqrtf(x));
  return whole;
#else
  return 1 / x;
#endif
}
// Mathematics of the other pass is no effect.
// CHECK: kernel byHiddenMathematics{{.*}}] only-x{{$}}
HIDDEN(byHiddenMathematics, v = reciprocal(v))
// CHECK: kernel ofView{{.*}}] only-x{{$}}
KERNEL ofView(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  float v = x(0);
  if (GLOBAL_INDEX == 0)
    y(0) = v;
}
