// What a first derivative does to gradients and keeps for itself, and that has no derivative, is no fault of the source:
// the message says what a second derivative asks for.
// REQUIRES: cpu
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define TWICE [[kernix::bind, kernix::differentiable(2)]] __global__

TWICE void in_place([[kernix::intent(inout_ptr)]] double *x, const double *p, [[kernix::diff]] double alpha, int n) {
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'in_place_bwd': the first derivative both stores to 'x_grad' and adds to it: functions that change a tensor in place mostly have no second derivative; read from one tensor and write to another
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'in_place_bwd': the first derivative reads 'x_grad' after it has written there: functions that change a tensor in place mostly
    x[i] += alpha * p[i] * x[i];
}

struct Weights {
  double of[3][3];
  __device__ explicit Weights(const double *x) {
    for (int d = 0; d < 3; ++d) {
      of[d][0] = (1.5 - x[d]) * (1.5 - x[d]);
      of[d][1] = 0.75 - x[d] * x[d];
      of[d][2] = (x[d] - 0.5) * (x[d] - 0.5);
    }
  }
  __device__ double operator()(int i, int j, int k) const { return of[0][i] * of[1][j] * of[2][k]; }
};

struct Matrix {
  double of[3][3];
};

__device__ void scatter(const double *x, const double *v, const Matrix *c, double *grid, int p) {
  Weights weights(x + 3 * p);
  Matrix a;
  for (int i = 0; i < 9; ++i)
    (&a.of[0][0])[i] = (&c[p].of[0][0])[i] * v[p];
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'of_several_bwd': here the first derivative keeps in local arrays what it computes in loops, {{[0-9]+}} bytes for each iteration, too many for a second derivative; let a thread take one element ('if (i < n)' instead of a loop over the grid), or let the loops have fewer iterations
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        double weight = weights(i, j, k), at[3] = {i - x[3 * p], j - x[3 * p + 1], k - x[3 * p + 2]};
        double *place = grid + 4 * ((i * 3 + j) * 3 + k);
        atomicAdd(place, weight * v[p]);
        for (int d = 0; d < 3; ++d)
          atomicAdd(place + d + 1, weight * (v[p] + a.of[d][0] * at[0] + a.of[d][1] * at[1] + a.of[d][2] * at[2]));
      }
}

TWICE void of_several(const double *x, const double *v, const Matrix *c, double *grid, int n) {
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x)
    scatter(x, v, c, grid, p);
}

TWICE void of_one(const double *x, const double *v, const Matrix *c, double *grid, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n)
    scatter(x, v, c, grid, p);
}

// No whole number of what the first derivative would clear it as.
TWICE void of_odd_size(const double *x, double *y) {
  __shared__ __align__(8) char raw[390];
  double *wide = reinterpret_cast<double *>(raw);
  float *narrow = reinterpret_cast<float *>(wide + 32);
  int t = threadIdx.x;
  wide[t] = narrow[t] = x[t];
  __syncthreads();
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'of_odd_size_bwd': it is not known of which type the numbers in shared memory are that the first derivative has here
  y[t] = wide[31 - t] * narrow[31 - t];
}
