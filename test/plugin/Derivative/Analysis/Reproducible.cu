// What is changed in place in several loops: each iteration reads the element before it writes it.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <kernix/kernix.h>

using View = kernix::TensorView<float>;
__device__ int *counter;

#ifndef REFUSED
// The indices of a view tell its elements apart.
// CHECK-DAG: define {{.*}}over_two_axes_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void over_two_axes(View a) {
  for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < a.size(0); i += gridDim.y * blockDim.y)
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < a.size(1); j += gridDim.x * blockDim.x)
      a(i, j) = a(i, j) * a(i, j);
}

// CHECK-DAG: define {{.*}}over_one_axis_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void over_one_axis(View a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.size(0); i += gridDim.x * blockDim.x)
    a(i) = a(i) * a(i);
}

// CHECK-DAG: define {{.*}}over_rows_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void over_rows(float *a, int rows, int columns) {
  for (int i = threadIdx.x; i < rows; i += blockDim.x)
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] *= a[i * columns + j];
}

// Rows that are longer than they lie apart are refused when the kernel runs.
// CHECK-DAG: define {{.*}}parts_of_rows_bwd
// CHECK-DAG: several stores may be to the same element of 'a'
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void parts_of_rows(float *a, int rows, int columns, int width) {
  for (int i = threadIdx.x; i < rows; i += blockDim.x)
    for (int j = 0; j < width; ++j)
      a[i * columns + j] *= a[i * columns + j];
}

// What is written behind the read does not matter, nor who writes it.
// CHECK-DAG: define {{.*}}counted_afterwards_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted_afterwards(const float *x, int *times, float *y) {
  int i = threadIdx.x;
  y[i] = x[i] * x[i] * times[i];
  if (x[i] > 0)
    times[i] = 1;
}

// No address that is read from memory leads to what a kernel is given by value.
struct Line {
  float slope;
  int times;
};
// CHECK-DAG: define {{.*}}counted_by_value_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted_by_value([[kernix::diff]] Line line, [[kernix::diff]] float start, float *y, int n) {
  atomicAdd(counter, 1);
  y[threadIdx.x] = line.slope * line.slope * line.times + start * start * n;
}

// An integer beside the number that is written.
struct Scaled {
  float value;
  int times;
};
[[kernix::differentiable]] __device__ void scale(Scaled &s, float by) { s.value *= by * s.times; }
// CHECK-DAG: define {{.*}}scaled_in_place
[[kernix::bind]] __global__ void scaled_in_place(const float *x, float *gx) {
  Scaled s = {x[threadIdx.x], 3}, gs = {1, 0};
  kernix::bwd_diff<scale>(s, &gs, x[threadIdx.x], &gx[threadIdx.x]);
}
#else
// A branch that decides over no number decides what is read.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void written_by_some(const float *x, int *times, float *y) {
  int i = threadIdx.x;
  if (i % 3 == 0)
    times[i] = 7;
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'written_by_some': it reads memory after it may have been written
  y[i] = x[i] * x[i] * times[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted_by_some(const float *x, int *count, float *y) {
  int i = threadIdx.x;
  if (i % 3 == 0)
    atomicAdd(count, 1);
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted_by_some': it reads memory behind a barrier
  y[i] = x[i] * x[i] * *count;
}

// A copy is read again, too.
struct Indices {
  int at[100];
};
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void copied_afterwards(const float *x, int *k, float *y, int j) {
  int i = threadIdx.x;
  if (i % 3 == 0)
    k[100 * i] = 7;
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'copied_afterwards': this copy reads memory after it may have been written
  Indices own = reinterpret_cast<Indices *>(k)[i];
  y[i] = x[own.at[j]] * x[i];
}

// The last element of a row is the first of the next.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void shared_ends(float *a, int rows) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 101; ++j)
      // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'shared_ends': it reads 'a' after it may have been written
      a[i * 100 + j] *= a[i * 100 + j];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void again_and_again(View a, int times) {
  for (int k = 0; k < times; ++k)
    for (int i = threadIdx.x; i < a.size(0); i += blockDim.x)
      // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'again_and_again': it reads 'a' after it may have been written
      a(i) = a(i) * a(i);
}

// In another row than the one that is read.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void down_the_rows(View a) {
  for (int i = 0; i + 1 < a.size(0); ++i)
    for (int j = threadIdx.x; j < a.size(1); j += blockDim.x)
      // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'down_the_rows': it reads 'a'
      a(i + 1, j) = a(i, j) * a(i, j);
}

// Through an address that is read from memory anything of the caller may be written.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted_anywhere(const float *x, float *y) {
  int i = threadIdx.x;
  atomicAdd(counter, 1);
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted_anywhere': it reads memory that a store through an unknown pointer may have changed
  y[i] = x[i] * x[i];
}

// A reference may be of what lies there.
// REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted_by_reference': it reads memory that a store through an unknown pointer may have changed
[[kernix::bind, kernix::differentiable(backward)]]
__device__ float counted_by_reference(float x, const int &n) {
  atomicAdd(counter, 1);
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted_by_reference': it reads memory that a store through an unknown pointer may have changed
  return x * x * n;
}

// What a rule's function gives is computed again only where that writes to nothing else.
__device__ int calls;
__device__ void counted_bwd(float, float *gx, float g) { *gx += g; }
[[kernix::backward_derivative(counted_bwd)]] __device__ float counted(float x) {
  atomicAdd(&calls, 1);
  return x;
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void square_of_counted(const float *x, float *y) {
  int i = threadIdx.x;
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'square_of_counted': the backward needs the result of 'counted', which it cannot compute again, because that writes to memory
  float v = counted(x[i]);
  y[i] = v * v;
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void twice_counted(const float *x, float *y) {
  int i = threadIdx.x;
  y[i] = 2 * counted(x[i]);
}

// Results in the order in which threads come.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void appended(const float *x, float *out, int *count) {
  float v = x[threadIdx.x];
  if (v > 0) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'appended': the backward needs what this atomic operation returned, which depends on the order of the threads; where it is the place of a result ('out[atomicAdd(count, 1)] = ...'), let a kernel without derivatives find the places, and read them from a tensor here
    int slot = atomicAdd(count, 1);
    out[slot] = v * v;
  }
}
#endif
