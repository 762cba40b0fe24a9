// backward_kernels.cu - the work of backward_work.h: kernels whose backward kernels kernix writes.
#include "backward_work.h"
#include <kernix/kernix.h>

#define INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void blend(const float *x, const float *y, float *z, float a, int n) {
  int i = INDEX;
  if (i < n)
    z[i] = a * x[i] * y[i] + (1 - a) * y[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stencil(const float *x, float *y, int n) {
  int i = INDEX, j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1)
    return;
  y[j * n + i] =
      0.5f * x[j * n + i] + 0.125f * (x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void harmonics(const float *d, const float *c, float *of, int n) {
  int i = INDEX;
  if (i >= n)
    return;
  float x = d[3 * i], y = d[3 * i + 1], z = d[3 * i + 2];
  float xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z;
  const float *k = c + 16 * i;
  of[i] = 0.28209479f * k[0] + 0.48860251f * (-y * k[1] + z * k[2] - x * k[3]) +
          1.09254843f * (xy * k[4] - yz * k[5] - xz * k[7]) + 0.31539157f * (2 * zz - xx - yy) * k[6] +
          0.54627421f * (xx - yy) * k[8] - 0.59004359f * y * (3 * xx - yy) * k[9] + 2.89061144f * xy * z * k[10] -
          0.45704579f * y * (4 * zz - xx - yy) * k[11] + 0.37317633f * z * (2 * zz - 3 * xx - 3 * yy) * k[12] -
          0.45704579f * x * (4 * zz - xx - yy) * k[13] + 1.44530572f * z * (xx - yy) * k[14] -
          0.59004359f * x * (xx - 3 * yy) * k[15];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void recurrence(const float *x, const float *w, float *y, int n) {
  int i = INDEX;
  if (i >= n)
    return;
  float v = x[i];
  for (int k = 0; k < 64; ++k)
    v += 0.01f * (w[i] - v * v * x[i]);
  y[i] = v;
}

namespace {
constexpr int block = 256;
unsigned blocks_for(int n) { return static_cast<unsigned>((n + block - 1) / block); }
} // namespace

void kernix_blend(int n, const float *x, float *gx, const float *y, float *gy, const float *gz, float a) {
  blend_bwd<<<blocks_for(n), block>>>(x, gx, y, gy, nullptr, gz, a, n);
}

void kernix_stencil(int n, const float *x, float *gx, const float *gy) {
  dim3 threads(64, 4), grid((n + 63) / 64, (n + 3) / 4);
  stencil_bwd<<<grid, threads>>>(x, gx, nullptr, gy, n);
}

void kernix_harmonics(int n, const float *d, float *gd, const float *c, float *gc, const float *gy) {
  harmonics_bwd<<<blocks_for(n), block>>>(d, gd, c, gc, nullptr, gy, n);
}

void kernix_recurrence(int n, const float *x, float *gx, const float *w, float *gw, const float *gy) {
  recurrence_bwd<<<blocks_for(n), block>>>(x, gx, w, gw, nullptr, gy, n);
}
