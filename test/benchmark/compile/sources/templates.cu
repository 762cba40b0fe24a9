// test/benchmark/compile/sources/templates.cu - kernel templates over views and pointers, each bound for several types.

#include <kernix/kernix.h>

template <class T> struct Accumulator {
  T sum, peak;
  __device__ void add(T value) {
    sum += value;
    peak = value > peak ? value : peak;
  }
};

template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "int", "long"), kernix::grid("x.size(0)"), kernix::block(128)]]
__global__ void row_sums(const kernix::TensorView<const T> x, [[kernix::shape("x.size(0)")]] kernix::TensorView<T> sums,
                         [[kernix::shape("x.size(0)")]] kernix::TensorView<T> peaks) {
  __shared__ Accumulator<T> partial[128];
  Accumulator<T> mine = {T(0), T(0)};
  const long row = blockIdx.x;
  for (long column = threadIdx.x; column < x.size(1); column += blockDim.x)
    mine.add(x(row, column));
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      partial[threadIdx.x].sum += partial[threadIdx.x + step].sum;
      partial[threadIdx.x].add(T(0));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    sums(row) = partial[0].sum;
    peaks(row) = partial[0].peak;
  }
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "int", "long"), kernix::grid("ceil_div(n, block.x)"),
  kernix::block(256)]]
__global__ void blend(const T *x, const T *y, [[kernix::intent(out_return), kernix::shape("x")]] T *z, T weight,
                      [[kernix::value("x.numel()")]] long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = weight * x[i] + (T(1) - weight) * y[i];
}
