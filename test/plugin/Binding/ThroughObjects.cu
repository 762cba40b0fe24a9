// Whether threads share an element of the first output is seen through the objects that it is put into.
// RUN: %cpu-host -std=c++20 -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %toolkit-host -std=c++20 -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu, cuda
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void
#define GLOBAL_INDEX int(blockIdx.x *blockDim.x + threadIdx.x)

//===--- One thread per element

struct View {
  float *p;
  int n;
  __device__ float &operator[](int i) const { return p[i]; }
};
// CHECK: kernel view{{.*}}] only-x{{$}}
// CHECK-NEXT: x: arg
// CHECK-NEXT: y: ret pointer float32 written zero_init
KERNEL view(const float *x, float *y, int n) {
  View out{y, n};
  int i = GLOBAL_INDEX;
  if (i < n)
    out[i] = x[i];
}
struct Ref {
  float &r;
  __device__ explicit Ref(float &r) : r(r) {}
  __device__ void set(float v) { r = v; }
};
// CHECK: kernel reference{{.*}}] only-x{{$}}
KERNEL reference(float *y) { Ref(y[GLOBAL_INDEX]).set(1); }
struct Writer {
  kernix::TensorView<float> to;
  Writer(const Writer &) = default;
  __device__ Writer(kernix::TensorView<float> to) { this->to = to; }
  __device__ ~Writer() { to(GLOBAL_INDEX) = 1; }
};
// CHECK: kernel destructorOfView{{.*}}] only-x{{$}}
KERNEL destructorOfView(kernix::TensorView<float> y) { Writer writer(y); }
struct Pointer {
  float *p = nullptr;
  __device__ float *get() const { return p; }
};
struct Outer {
  Pointer inner;
  float *from = inner.get();
};
// CHECK: kernel nested{{.*}}] only-x{{$}}
KERNEL nested(float *y, int n) {
  Outer outer{{y + GLOBAL_INDEX}};
  *outer.from = 1;
}
// CHECK: kernel arrayOfPointers{{.*}}] only-x{{$}}
KERNEL arrayOfPointers(float *y, float *z) {
  float *to[2] = {y, z};
  for (float *each : to)
    each[GLOBAL_INDEX] = 1;
}
// CHECK: kernel genericLambda{{.*}}] only-x{{$}}
KERNEL genericLambda(float *y) {
  auto put = [&](auto i, auto v) { y[i] = v; };
  put(GLOBAL_INDEX, 1.0f);
}
template <class F> __device__ void forEach(int n, F f) {
  for (int i = GLOBAL_INDEX; i < n; i += gridDim.x * blockDim.x)
    f(i);
}
// CHECK: kernel parameterOfLambda{{.*}}] only-x{{$}}
KERNEL parameterOfLambda(float *y, int n) {
  forEach(n, [=](int i) { y[i] = 1; });
}
// CHECK: kernel structuredBinding{{.*}}] only-x{{$}}
KERNEL structuredBinding(float *y, int n) {
  auto [p, size] = View{y, n};
  p[GLOBAL_INDEX] = size;
}
struct Count {
  int *n;
  __device__ void operator++() const { atomicAdd(n, 1); }
};
// CHECK: kernel countsElsewhere{{.*}}] only-x{{$}}
KERNEL countsElsewhere(float *y, int *count) {
  View out{y, 1};
  Count counter{count};
  out[GLOBAL_INDEX] = 1;
  ++counter;
}

//===--- Several threads for one element

struct Sum {
  float *to;
  __device__ void operator+=(float v) const { atomicAdd(to, v); }
};
// CHECK: kernel functor{{.*}}] only-x shared-output{{$}}
KERNEL functor(const float *x, float *y) {
  Sum sum{y};
  sum += x[GLOBAL_INDEX];
}
struct AtEnd {
  float *to;
  float v;
  __device__ ~AtEnd() { atomicAdd(to, v); }
};
// CHECK: kernel destructor{{.*}}] only-x shared-output{{$}}
KERNEL destructor(const float *x, float *y) { AtEnd add{y, x[GLOBAL_INDEX]}; }
struct AtBegin {
  float before;
  __device__ AtBegin(float *to, float v) : before(atomicAdd(to, v)) {}
};
// CHECK: kernel constructor{{.*}}] only-x shared-output{{$}}
KERNEL constructor(const float *x, float *y) { AtBegin add(y, x[GLOBAL_INDEX]); }
struct Histogram {
  View bins;
  __device__ void add(int i) { atomicAdd(&bins[i], 1.0f); }
};
// CHECK: kernel member{{.*}}] only-x shared-output{{$}}
KERNEL member(const int *x, float *y, int n) { Histogram{{y, n}}.add(x[GLOBAL_INDEX]); }
// CHECK: kernel genericLambdaAdds{{.*}}] only-x shared-output{{$}}
KERNEL genericLambdaAdds(const float *x, float *y) {
  auto add = [=](auto v) { atomicAdd(y, v); };
  add(x[GLOBAL_INDEX]);
}
struct Flag {
  float *p;
  __device__ void set() { p[0] = 1; }
};
// CHECK: kernel oneElement{{.*}}] only-x shared-output{{$}}
KERNEL oneElement(const float *x, float *y) {
  Flag flag{y};
  if (x[GLOBAL_INDEX] > 0)
    flag.set();
}
struct Bin {
  float n;
  __device__ void add() { atomicAdd(&n, 1.0f); }
};
// CHECK: kernel methodOfElement{{.*}}] only-x shared-output{{$}}
KERNEL methodOfElement(const int *x, Bin *bins) { bins[x[GLOBAL_INDEX]].add(); }
// CHECK: kernel lost{{.*}}] only-x shared-output{{$}}
KERNEL lost(const float *x, float *y) {
  size_t address = reinterpret_cast<size_t>(y);
  atomicAdd(reinterpret_cast<float *>(address), x[GLOBAL_INDEX]);
}

//===--- An override of a virtual function

struct Base {
  __device__ virtual void put(float *) const {}
};
struct Adds : Base {
  __device__ void put(float *p) const override { *p += 1; }
};
// CHECK: kernel override{{.*}}]{{$}}
// CHECK-NEXT: y: ret pointer float32 written zero_init
KERNEL override(float *y) {
  Adds adds;
  const Base &base = adds;
  base.put(y + GLOBAL_INDEX);
}

//===--- One block per element, through what is called

struct Blocks {
  float *p;
  __device__ float &operator[](int i) const { return p[i]; }
  __device__ float &at(int i) const { return operator[](i); }
};
// CHECK: kernel blockOfView{{.*}}shared
KERNEL blockOfView(float *y, float v) {
  Blocks out{y};
  if (threadIdx.x == 0)
    out[blockIdx.x] = v;
}
// CHECK: kernel blockOfNested{{.*}}shared
KERNEL blockOfNested(float *y, float v) {
  Blocks out{y};
  int row = blockIdx.x;
  if (threadIdx.x == 0)
    out.at(row) = v;
}
__device__ void put(float *to, int at, float v) { to[at] = v; }
// CHECK: kernel blockOfCallee{{.*}}shared
KERNEL blockOfCallee(float *y, float v) {
  if (threadIdx.x == 0)
    put(y, blockIdx.x, v);
}
// CHECK: kernel threadOfCallee{{.*}}] only-x{{$}}
KERNEL threadOfCallee(float *y, float v) { put(y, GLOBAL_INDEX, v); }
// CHECK: kernel bothOfCallee{{.*}}] only-x{{$}}
KERNEL bothOfCallee(float *y, float v) {
  put(y, 0, v);
  put(y, GLOBAL_INDEX, v);
}
// CHECK: kernel blockOfLambda{{.*}}shared
KERNEL blockOfLambda(float *y, float v) {
  auto at = [&](int b) -> float & { return y[b]; };
  if (threadIdx.x == 0)
    at(blockIdx.x) = v;
}
