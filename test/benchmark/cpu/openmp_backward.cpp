// openmp_backward.cpp - the work of backward_work.h as OpenMP loops by hand.
#include "backward_work.h"
#include <initializer_list>

void openmp_blend(int n, const float *x, float *gx, const float *y, float *gy, const float *gz, float a) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    gx[i] += gz[i] * a * y[i];
    gy[i] += gz[i] * (a * x[i] + (1 - a));
  }
}

// Each gradient gathers what its five neighbours make of it.
void openmp_stencil(int n, const float *, float *gx, const float *gy) {
  auto inside = [&](int j, int i) { return i >= 1 && j >= 1 && i < n - 1 && j < n - 1; };
  auto at = [&](int j, int i) { return inside(j, i) ? gy[j * n + i] : 0.0f; };
#pragma omp parallel for
  for (int j = 0; j < n; ++j) {
    if (j < 2 || j >= n - 2) {
      for (int i = 0; i < n; ++i)
        gx[j * n + i] += 0.5f * at(j, i) + 0.125f * (at(j, i - 1) + at(j, i + 1) + at(j - 1, i) + at(j + 1, i));
      continue;
    }
    for (int i : {0, 1, n - 2, n - 1})
      gx[j * n + i] += 0.5f * at(j, i) + 0.125f * (at(j, i - 1) + at(j, i + 1) + at(j - 1, i) + at(j + 1, i));
#pragma omp simd
    for (int i = 2; i < n - 2; ++i)
      gx[j * n + i] += 0.5f * gy[j * n + i] +
                       0.125f * (gy[j * n + i - 1] + gy[j * n + i + 1] + gy[(j - 1) * n + i] + gy[(j + 1) * n + i]);
  }
}

void openmp_harmonics(int n, const float *d, float *gd, const float *c, float *gc, const float *gy) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float x = d[3 * i], y = d[3 * i + 1], z = d[3 * i + 2], g = gy[i];
    float xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z;
    const float *k = c + 16 * i;
    float *s = gc + 16 * i;
    s[0] += g * 0.28209479f;
    s[1] += g * -0.48860251f * y;
    s[2] += g * 0.48860251f * z;
    s[3] += g * -0.48860251f * x;
    s[4] += g * 1.09254843f * xy;
    s[5] += g * -1.09254843f * yz;
    s[6] += g * 0.31539157f * (2 * zz - xx - yy);
    s[7] += g * -1.09254843f * xz;
    s[8] += g * 0.54627421f * (xx - yy);
    s[9] += g * -0.59004359f * y * (3 * xx - yy);
    s[10] += g * 2.89061144f * xy * z;
    s[11] += g * -0.45704579f * y * (4 * zz - xx - yy);
    s[12] += g * 0.37317633f * z * (2 * zz - 3 * xx - 3 * yy);
    s[13] += g * -0.45704579f * x * (4 * zz - xx - yy);
    s[14] += g * 1.44530572f * z * (xx - yy);
    s[15] += g * -0.59004359f * x * (xx - 3 * yy);
    gd[3 * i] +=
        g *
        (-0.48860251f * k[3] + 1.09254843f * (y * k[4] - z * k[7]) - 0.63078314f * x * k[6] + 1.09254843f * x * k[8] -
         3.54026154f * xy * k[9] + 2.89061144f * yz * k[10] + 0.91409158f * xy * k[11] - 2.23905798f * xz * k[12] -
         0.45704579f * (4 * zz - 3 * xx - yy) * k[13] + 2.89061144f * xz * k[14] - 1.77013077f * (xx - yy) * k[15]);
    gd[3 * i + 1] += g * (-0.48860251f * k[1] + 1.09254843f * (x * k[4] - z * k[5]) - 0.63078314f * y * k[6] -
                          1.09254843f * y * k[8] - 1.77013077f * (xx - yy) * k[9] + 2.89061144f * xz * k[10] -
                          0.45704579f * (4 * zz - xx - 3 * yy) * k[11] - 2.23905798f * yz * k[12] +
                          0.91409158f * xy * k[13] - 2.89061144f * yz * k[14] + 3.54026154f * xy * k[15]);
    gd[3 * i + 2] +=
        g * (0.48860251f * k[2] - 1.09254843f * (y * k[5] + x * k[7]) + 1.26156628f * z * k[6] +
             2.89061144f * xy * k[10] - 3.65636632f * yz * k[11] + 1.11952899f * (2 * zz - xx - yy) * k[12] -
             3.65636632f * xz * k[13] + 1.44530572f * (xx - yy) * k[14]);
  }
}

void openmp_recurrence(int n, const float *x, float *gx, const float *w, float *gw, const float *gy) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float at[64], v = x[i];
    for (int k = 0; k < 64; ++k) {
      at[k] = v;
      v += 0.01f * (w[i] - v * v * x[i]);
    }
    float g = gy[i], sx = 0, sw = 0;
    for (int k = 63; k >= 0; --k) {
      sw += 0.01f * g;
      sx -= 0.01f * g * at[k] * at[k];
      g -= 0.02f * g * at[k] * x[i];
    }
    gx[i] += sx + g;
    gw[i] += sw;
  }
}
