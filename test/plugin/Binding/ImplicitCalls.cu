// What a thread is, is also seen where a constructor, a destructor or an initializer that nobody calls looks at it.
// RUN: %cpu-host -std=c++20 -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %toolkit-host -std=c++20 -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu, cuda
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void
#define GLOBAL_INDEX int(blockIdx.x *blockDim.x + threadIdx.x)

__device__ int row() { return threadIdx.y; }

//===--- Along x

struct Thread {
  int i = GLOBAL_INDEX;
};
// CHECK: kernel memberInitializer{{.*}}] only-x{{$}}
KERNEL memberInitializer(float *y) {
  Thread t;
  y[t.i] = 1;
}
// CHECK: kernel aggregate{{.*}}] only-x{{$}}
KERNEL aggregate(float *y) { y[Thread{}.i] = 1; }
struct Id {
  int i;
  __device__ Id() : i(GLOBAL_INDEX) {}
  __device__ Id(int k) : i(k + GLOBAL_INDEX) {}
};
struct Context {
  Id id;
};
// CHECK: kernel implicitConstructor{{.*}}] only-x{{$}}
KERNEL implicitConstructor(float *y) {
  Context c;
  y[c.id.i] = 1;
}
struct Derived : Id {
  using Id::Id;
};
// CHECK: kernel implicitConstructorOfBase{{.*}}] only-x{{$}}
KERNEL implicitConstructorOfBase(float *y) {
  Derived d;
  y[d.i] = 1;
}
// CHECK: kernel inheritedConstructor{{.*}}] only-x{{$}}
KERNEL inheritedConstructor(float *y) { y[Derived(0).i] = 1; }
struct Defaulted {
  Id id[2];
  Defaulted() = default;
};
// CHECK: kernel arrayOfDefaulted{{.*}}] only-x{{$}}
KERNEL arrayOfDefaulted(float *y) {
  Defaulted d[2];
  y[d[1].id[1].i] = 1;
}
// CHECK: kernel arrayFiller{{.*}}] only-x{{$}}
KERNEL arrayFiller(float *y) {
  Id ids[3] = {};
  y[ids[2].i] = 1;
}
struct Last {
  float *p;
  __device__ ~Last() { p[GLOBAL_INDEX] = 1; }
};
// CHECK: kernel destructor{{.*}}] only-x{{$}}
KERNEL destructor(float *y) { Last last{y}; }
// CHECK: kernel destructorOfTemporary{{.*}}] only-x{{$}}
KERNEL destructorOfTemporary(float *y) { (void)Last{y}; }
struct Holder {
  Last last[1];
};
// CHECK: kernel destructorOfMember{{.*}}] only-x{{$}}
KERNEL destructorOfMember(float *y) { Holder holder{{{y}}}; }
__device__ void take(Last) {}
// CHECK: kernel destructorOfArgument{{.*}}] only-x{{$}}
KERNEL destructorOfArgument(float *y) { take({y}); }
struct Two {
  int a, b;
  template <int I> __device__ int get() const { return I + GLOBAL_INDEX; }
};
namespace std {
template <class> struct tuple_size;
template <size_t, class> struct tuple_element;
template <> struct tuple_size<Two> {
  static constexpr size_t value = 2;
};
template <size_t I> struct tuple_element<I, Two> {
  using type = int;
};
} // namespace std
// CHECK: kernel structuredBinding{{.*}}] only-x{{$}}
KERNEL structuredBinding(float *y) {
  auto [a, b] = Two();
  y[a] = 1;
}
// CHECK: kernel genericLambda{{.*}}] only-x{{$}}
KERNEL genericLambda(const float *x, float *y) {
  auto act = [](auto v) { return sqrtf(v) * v; };
  auto at = [](auto k) { return k + GLOBAL_INDEX; };
  y[at(0)] = act(x[at(0)]);
}
struct Iterator {
  int i;
  __device__ int operator*() const { return i; }
  __device__ Iterator &operator++() {
    i += gridDim.x * blockDim.x;
    return *this;
  }
  __device__ bool operator!=(Iterator o) const { return i < o.i; }
};
struct Range {
  int n;
  __device__ Iterator begin() const { return {GLOBAL_INDEX}; }
  __device__ Iterator end() const { return {n}; }
};
// CHECK: kernel rangeLoop{{.*}}] only-x{{$}}
KERNEL rangeLoop(float *y, int n) {
  for (int i : Range{n})
    y[i] = 1;
}
struct Base {
  __device__ virtual int id() const { return 0; }
  __device__ int plain() const { return Base::id(); }
};
struct Override final : Base {
  __device__ int id() const override { return GLOBAL_INDEX; }
};
// CHECK: kernel virtualOfKnownClass{{.*}}] only-x{{$}}
KERNEL virtualOfKnownClass(float *y) {
  Override o;
  const Override &r = o;
  y[o.id() + r.id()] = 1;
}

//===--- Not along x alone

struct Row {
  int r = row();
};
// CHECK: kernel memberInitializerOfY{{.*}}]{{$}}
KERNEL memberInitializerOfY(float *y) { y[Row{}.r] = 1; }
struct RowOfConstructor {
  int r;
  __device__ RowOfConstructor() : r(row()) {}
};
struct Rows {
  RowOfConstructor rows[2];
};
// CHECK: kernel implicitConstructorOfY{{.*}}]{{$}}
KERNEL implicitConstructorOfY(float *y) {
  Rows rows;
  y[rows.rows[0].r] = 1;
}
struct PutRow {
  int *r;
  __device__ ~PutRow() { *r = row(); }
};
// CHECK: kernel destructorOfY{{.*}}]{{$}}
KERNEL destructorOfY(float *y) {
  int r;
  { PutRow put{&r}; }
  y[r] = 1;
}
// CHECK: kernel genericLambdaOfY{{.*}}]{{$}}
KERNEL genericLambdaOfY(float *y) {
  auto at = [](auto k) { return k + row(); };
  y[at(0)] = 1;
}
__device__ void atEnd(int *r) { *r = row(); }
// CHECK: kernel cleanup{{.*}}]{{$}}
KERNEL cleanup(float *y) {
  __attribute__((cleanup(atEnd))) int r = 0;
  y[GLOBAL_INDEX] = r;
}
// CHECK: kernel virtualOfReference{{.*}}]{{$}}
KERNEL virtualOfReference(float *y) {
  Override o;
  const Base &b = o;
  y[b.id()] = 1;
}

//===--- What does not run

// CHECK: kernel qualifiedVirtual{{.*}}] only-x one-thread one-block{{$}}
KERNEL qualifiedVirtual(float *y) {
  Override o;
  y[o.plain()] = 1;
}
// CHECK: kernel unevaluated{{.*}}] only-x one-thread one-block{{$}}
KERNEL unevaluated(float *y) {
  decltype(threadIdx.y) a = sizeof(row());
  y[a] = noexcept(row());
}
template <bool Rows> __device__ int chosen() {
  if constexpr (Rows)
    return row();
  return 0;
}
// CHECK: kernel discardedBranch{{.*}}] only-x one-thread one-block{{$}}
KERNEL discardedBranch(float *y) {
  if constexpr (sizeof(int) == 2)
    y[row()] = 0;
  y[chosen<false>()] = 1;
}
