// A second derivative is one of a derivative that was written here: what is refused of it says so, and what follows from a
// first derivative that is refused is not said.
// RUN: not %cpu-device -O2 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %cpu-device -O2 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE --implicit-check-not=last_steps_bwd
// ONCE: error: cannot differentiate 'last_steps'
#include <kernix/kernix.h>

// The first derivative is written, and its loops around barriers come to wait where only some threads are.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void turned(const float *x, float *y, int w, int h) {
  __shared__ float s[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (i < w && j + k < h)
      s[threadIdx.y + k][threadIdx.x] = x[(j + k) * w + i];
  // CHECK-DAG: Derive.cu:[[#@LINE+2]]:{{.*}}error: cannot differentiate 'turned_bwd': the threads of a block may come to this barrier on different ways
  // CHECK-DAG: Derive.cu:[[#@LINE+1]]:{{.*}}note: 'turned_bwd' is a derivative that was written for this place, with stores and barriers of its own: this is about a second derivative; where the first is enough, ask for [{{\[}}kernix::differentiable]] alone
  __syncthreads();
  i = blockIdx.y * 32 + threadIdx.x, j = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (i < h && j + k < w)
      y[(j + k) * h + i] = s[threadIdx.x][threadIdx.y + k];
}

// Where there is no first derivative, nothing is said of a second.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void last_steps(const float *x, float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  volatile float *v = s;
  // CHECK-DAG: Derive.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'last_steps': a volatile access to numbers that have a derivative; remove volatile, and let lanes wait for each other with __syncwarp()
  v[threadIdx.x] += v[threadIdx.x + 32];
  v[threadIdx.x] += v[threadIdx.x + 16];
  y[threadIdx.x] = s[threadIdx.x];
}
