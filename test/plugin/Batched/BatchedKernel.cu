// Versions of kernels with an axis for a batch in their grid: the element is told by blockIdx.z, each pointer is moved
// there, and the kernel sees the grid of its own launch. Nothing else is left.
// RUN: %clang --config=%root/share/kernix/kernix-batched.cfg -nocudainc -nocudalib -isystem %inputs \
// RUN:   --cuda-gpu-arch=sm_90 -include cuda.h -O2 -S -emit-llvm -o %t.ll -x cuda %s
// RUN: FileCheck --input-file=%t.ll %s
// RUN: FileCheck --check-prefix=NONE --input-file=%t.ll %s
#include <kernix/kernix.h>
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK_Z __nvvm_read_ptx_sreg_ctaid_z()

// NONE-NOT: define {{.*}}@{{.*}}no_
// NONE-NOT: define {{.*}}@_Z

// CHECK-LABEL: define {{.*}}ptx_kernel void @kernix_batched_2__Z5scalePKfPfif(
// CHECK-SAME: ptr {{[^%]*}}%[[X:[0-9]+]], ptr {{[^%]*}}%[[Y:[0-9]+]], i32 {{[^,]*}}, float {{[^,]*}}, i32 %[[GRID:[0-9]+]], i32 %[[FIRST:[0-9]+]], i64 %[[SX:[0-9]+]], i64 %[[SY:[0-9]+]])
// CHECK: %[[Z:[0-9]+]] = {{.*}}call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
// CHECK: %[[LAUNCH:[0-9]+]] = udiv i32 %[[Z]], %[[GRID]]
// CHECK: %[[SUM:[0-9]+]] = add i32 %[[LAUNCH]], %[[FIRST]]
// CHECK: %[[ELEMENT:[0-9]+]] = zext i32 %[[SUM]] to i64
// CHECK: %[[OX:[0-9]+]] = mul i64 %[[ELEMENT]], %[[SX]]
// CHECK: getelementptr i8, ptr %[[X]], i64 %[[OX]]
// CHECK: %[[OY:[0-9]+]] = mul i64 %[[ELEMENT]], %[[SY]]
// CHECK: getelementptr i8, ptr %[[Y]], i64 %[[OY]]
[[kernix::bind]] __global__ void scale(const float *x, float *y, int n, float a) {
  int i = THREAD;
  if (i < n)
    y[i] = a * x[i];
}

// blockIdx.z and gridDim.z are those of a launch without a batch.
// CHECK-LABEL: define {{.*}}@kernix_batched_1__Z5depthPi(
// CHECK-SAME: i32 %[[GRID:[0-9]+]], i32
// CHECK: %[[Z:[0-9]+]] = {{.*}}ctaid.z()
// CHECK: %[[LAUNCH:[0-9]+]] = udiv i32 %[[Z]], %[[GRID]]
// CHECK: %[[BEGIN:[0-9]+]] = mul i32 %[[LAUNCH]], %[[GRID]]
// CHECK: %[[OWN:[0-9]+]] = sub i32 %[[Z]], %[[BEGIN]]
// CHECK-NOT: ctaid.z
// CHECK: add {{.*}}i32 {{.*}}%[[GRID]]
// CHECK: ret void
[[kernix::bind]] __global__ void depth(int *y) { y[THREAD] = BLOCK_Z + __nvvm_read_ptx_sreg_nctaid_z(); }

// The pointer of a view is moved where it is read, its sizes are what they are.
// CHECK-LABEL: define {{.*}}@kernix_batched_2__Z4viewN6kernix10TensorViewIKfEENS0_IfEE(
// CHECK: %[[DATA:[0-9]+]] = load ptr, ptr %
// CHECK-NEXT: getelementptr i8, ptr %[[DATA]], i64 %
[[kernix::bind]] __global__ void view(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  if (THREAD < x.size(0))
    y(THREAD) = x(THREAD);
}

// A size that is told by a number lies behind the pointer, whatever the number.
// CHECK-LABEL: define {{.*}}@kernix_batched_1__Z4sizeN6kernix10TensorViewIiEEi(
[[kernix::bind]] __global__ void size(kernix::TensorView<int> y, int d) { y(THREAD) = y.size(d); }

// Shared memory belongs to a block, constants to all.
// CHECK-LABEL: define {{.*}}@kernix_batched_1__Z6sharedPf(
[[kernix::bind]] __global__ void shared(float *y) {
  __shared__ float tile[32];
  tile[THREAD] = y[THREAD];
  __syncthreads();
  y[THREAD] = tile[31 - THREAD];
}

struct Sizes {
  int n, m;
};
// CHECK-LABEL: define {{.*}}@kernix_batched_1__Z10structured5SizesPi(
[[kernix::bind]] __global__ void structured(Sizes s, int *y) { y[THREAD] = s.n * s.m; }

// Derivatives too.
// CHECK-LABEL: define {{.*}}@kernix_batched_2__Z6squarePKfPf(
// CHECK-LABEL: define {{.*}}@kernix_batched_4__Z10square_fwdPKfS0_PfS1_(
// CHECK-LABEL: define {{.*}}@kernix_batched_4__Z10square_bwdPKfPfS1_S0_(
[[kernix::bind, kernix::differentiable]] __global__ void square(const float *x, float *y) {
  y[THREAD] = x[THREAD] * x[THREAD];
}

// Not where the module of the host has something in common with the kernel,
__device__ float counter;
__constant__ float factors[4];
__device__ const float *table;
[[kernix::bind]] __global__ void no_variable(float *y) { y[THREAD] = counter; }
[[kernix::bind]] __global__ void no_constant(float *y) { y[THREAD] = factors[THREAD & 3]; }
[[kernix::bind]] __global__ void no_address(float *y) { y[THREAD] = table == &factors[0]; }

// where somebody else asks for the block,
__device__ __noinline__ unsigned other_block() { return BLOCK_Z; }
[[kernix::bind]] __global__ void no_caller(float *y) { y[THREAD] = other_block(); }
[[kernix::bind]] __global__ void no_assembly(unsigned *y) {
  unsigned z;
  asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  y[THREAD] = z;
}
extern "C" __device__ unsigned of_grid();
[[kernix::bind]] __global__ void no_declaration(unsigned *y) { y[THREAD] = of_grid(); }
[[kernix::bind]] __global__ void no_pointer(unsigned *y) {
  unsigned (*f)() = y[0] ? other_block : of_grid;
  y[THREAD] = f();
}

// nor where an object is used as a whole.
__device__ __noinline__ float sum(kernix::TensorView<float> y) { return y(0) + y(1); }
[[kernix::bind]] __global__ void no_object(kernix::TensorView<float> y) { y(THREAD) = sum(y); }
