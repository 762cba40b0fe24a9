// A sparse matrix in compressed rows times a vector, with a backward pass that is written by hand: what a row gives to
// the gradient of x is added atomically, since rows share columns, and an entry of the matrix belongs to one row alone.

#include <kernix/kernix.h>

template <class T>
__global__ void sparse_matvec_bwd(const T *values, T *gvalues, const int *columns, const int *starts, const T *x, T *gx,
                                  T *, const T *gy, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  for (int k = starts[row]; k < starts[row + 1]; ++k) {
    gvalues[k] += gy[row] * x[columns[k]];
    atomicAdd(&gx[columns[k]], gy[row] * values[k]);
  }
}

/// y = A x, where the entries values[k] of row r, in the columns columns[k], are those from starts[r] to starts[r + 1]
template <class T>
[[kernix::bind, kernix::instantiate("float", "double"), kernix::backward_derivative(sparse_matvec_bwd<T>)]]
__global__ void sparse_matvec(const T *values, const int *columns, const int *starts, const T *x,
                              [[kernix::shape("starts.numel() - 1")]] T *y,
                              [[kernix::value("starts.numel() - 1")]] int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  T sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
