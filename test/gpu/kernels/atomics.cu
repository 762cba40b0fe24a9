// Atomics, on global and on shared memory; outputs that are added to start at zero.
#include <kernix/kernix.h>

[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256)]]
__global__ void histogram(const unsigned char *x, [[kernix::intent(out_return), kernix::shape("256")]] int *counts,
                          [[kernix::value("x.numel()")]] int n) {
  __shared__ int local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  if (local[threadIdx.x])
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

[[kernix::bind, kernix::grid("ceil_div(n, block.x)")]]
__global__ void scatter_add(const float *x, const int *index, [[kernix::intent(inout_ptr)]] float *y,
                            [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&y[index[i]], x[i]);
}

// result: minimum, maximum, or, and, xor, a maximum of doubles by compare-and-swap.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)")]]
__global__ void extremes(const int *x, [[kernix::intent(inout_ptr)]] int *result,
                         [[kernix::intent(inout_ptr)]] double *largest, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicMin(&result[0], x[i]);
  atomicMax(&result[1], x[i]);
  atomicOr(&result[2], x[i]);
  atomicAnd(&result[3], x[i]);
  atomicXor(&result[4], x[i]);
  auto *bits = reinterpret_cast<unsigned long long *>(largest);
  unsigned long long seen = *bits, assumed;
  do {
    assumed = seen;
    double value = 0.5 * x[i];
    if (__longlong_as_double(static_cast<long long>(assumed)) >= value)
      break;
    seen = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(value)));
  } while (assumed != seen);
}
