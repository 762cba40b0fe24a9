// Shims of device functions for Numba's kernels: values as their scalars, results as the members of a struct. All other
// code is internal to the PTX.
// RUN: %clang --config=%root/share/kernix/kernix-numba.cfg -nocudainc -nocudalib -isystem %inputs --cuda-gpu-arch=sm_90 \
// RUN:   -include cuda.h -fplugin-arg-kernix-unit=a -fplugin-arg-kernix-records=%t.json -O1 -S -emit-llvm -o - -x cuda %s \
// RUN:   | FileCheck %s
// RUN: FileCheck --check-prefix=JSON --input-file=%t.json %s
#include <kernix/kernix.h>

// Variables too: nothing outside sets them.
// CHECK: @offset = internal {{.*}}global float 1
// CHECK: @_ZL5table = internal {{.*}}global [4 x float]
__device__ float offset = 1;
static __device__ float table[4] = {1, 2, 3, 4};
[[kernix::bind]] __device__ float stored(float x, int i) {
  offset += x;
  table[i & 3] += x;
  return offset + table[i & 3];
}

struct Pair {
  char key;
  double value;
};

// JSON-DAG: "numba_call":{"arguments":[{"parameter":0,"scalars":["float32"]}],"results":[{"parameter":null,"scalars":["float32"]}]},"numba_shim":"kernix_numba_{{[0-9a-f]+}}"
// CHECK-DAG: define {{.*}}i32 @kernix_numba_{{[0-9a-f]+}}(ptr {{.*}}%0, float {{.*}}%1)
[[kernix::bind]] __device__ float scalar(float x) { return x * x; }

// A struct is taken apart, and given back with its members in order.
// JSON-DAG: "numba_call":{"arguments":[{"parameter":0,"scalars":["int8","float64"]},{"parameter":1,"scalars":["int64"]}],"results":[{"parameter":null,"scalars":["int8","float64"]}]}
// CHECK-DAG: define {{.*}}i32 @kernix_numba_{{[0-9a-f]+}}(ptr {{.*}}%0, i8 {{.*}}%1, double {{.*}}%2, i64 {{.*}}%3)
[[kernix::bind]] __device__ Pair object(Pair p, long long k) { return {static_cast<char>(p.key + k), p.value}; }

// What is passed by address is a pointer; results are no arguments.
// JSON-DAG: "numba_call":{"arguments":[{"parameter":0,"scalars":["pointer"]},{"parameter":1,"scalars":["int16"]}],"results":[{"parameter":2,"scalars":["float64"]},{"parameter":3,"scalars":["float32","float32","float32","float32"]}]}
// CHECK-DAG: define {{.*}}i32 @kernix_numba_{{[0-9a-f]+}}(ptr {{.*}}%0, ptr {{.*}}%1, i16 {{.*}}%2)
[[kernix::bind]] __device__ void outputs([[kernix::intent(inout_ptr)]] Pair &p, short k,
                                         [[kernix::intent(out_return)]] double &d,
                                         [[kernix::intent(out_array_return)]] float f[2][2]) {
  p.value += k;
  d = p.value;
  f[1][1] = 1;
}

// Why a function cannot be called is said in its record.
// JSON-DAG: "name":"view",{{.*}}"not_in_numba":"'x' of type 'kernix::TensorView<float>' has no counterpart in Numba"
[[kernix::bind]] __device__ float view(kernix::TensorView<float> x) { return x(0); }

// Kernels and functions that no shim needs are gone, the others internal.
// CHECK-NOT: define {{.*}}@_Z6unused
// CHECK-NOT: define {{.*}}@_Z4kern
__device__ float unused(float x) { return x; }
[[kernix::bind]] __global__ void kern(float *x) { x[0] = 1; }
