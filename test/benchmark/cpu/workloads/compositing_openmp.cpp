// compositing_openmp.cpp - a thread takes a tile. For each ellipse a loop over the 256 pixels is a loop of vectors;
// pixels that are done do not take part any more.
#include "workloads.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

constexpr int SIDE = 16, PIXELS = SIDE * SIDE;

/// e^x for x <= 0, to a few units in the last place: a loop around a call of the library's would not be one of vectors.
inline float exp_of_negative(float x) {
  x = std::max(x, -80.0f);
  float n = std::nearbyint(x * 1.44269504f);
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p =
      1 + r * (1 + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (8.33333333e-3f + r * 1.38888889e-3f)))));
  int bits = (static_cast<int>(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

struct Pixels {
  float x[PIXELS], y[PIXELS];
  Pixels(int tile, int columns) {
    for (int k = 0; k < PIXELS; ++k) {
      x[k] = static_cast<float>(tile % columns * SIDE + k % SIDE) + 0.5f;
      y[k] = static_cast<float>(tile / columns * SIDE + k / SIDE) + 0.5f;
    }
  }
};

} // namespace

void openmp_composite(Ellipses of, Tiles tiles, float *picture, int height, int width, KeptOfPixels kept) {
  const int columns = (width + SIDE - 1) / SIDE, rows = (height + SIDE - 1) / SIDE;
#pragma omp parallel for schedule(dynamic, 4)
  for (int tile = 0; tile < rows * columns; ++tile) {
    const Pixels at(tile, columns);
    alignas(64) float left[PIXELS], red[PIXELS] = {}, green[PIXELS] = {}, blue[PIXELS] = {};
    alignas(64) int open[PIXELS], last[PIXELS] = {};
    for (int k = 0; k < PIXELS; ++k)
      left[k] = 1, open[k] = at.x[k] < width && at.y[k] < height;
    const int begin = tiles.first[tile], end = tiles.first[tile + 1];
    for (int entry = begin; entry < end; ++entry) {
      const int m = tiles.members[entry];
      const float cx = of.centres[2 * m], cy = of.centres[2 * m + 1], opacity = of.opacities[m];
      const float qx = of.conics[3 * m], qy = of.conics[3 * m + 1], qz = of.conics[3 * m + 2];
      const float r = of.colours[3 * m], g = of.colours[3 * m + 1], b = of.colours[3 * m + 2];
      int any = 0;
#pragma omp simd reduction(| : any)
      for (int k = 0; k < PIXELS; ++k) {
        float dx = cx - at.x[k], dy = cy - at.y[k];
        float power = -0.5f * (qx * dx * dx + qz * dy * dy) - qy * dx * dy;
        float alpha = std::min(0.99f, opacity * exp_of_negative(power));
        bool counts = open[k] && power <= 0 && alpha >= 1.0f / 255;
        float next = left[k] * (1 - alpha);
        bool ends = counts && next < 1e-4f;
        open[k] = open[k] && !ends;
        counts = counts && !ends;
        float weight = counts ? left[k] * alpha : 0;
        red[k] += weight * r;
        green[k] += weight * g;
        blue[k] += weight * b;
        left[k] = counts ? next : left[k];
        last[k] = counts ? entry + 1 - begin : last[k];
        any |= open[k];
      }
      if (!any)
        break;
    }
    for (int k = 0; k < PIXELS; ++k) {
      const int column = tile % columns * SIDE + k % SIDE, row = tile / columns * SIDE + k / SIDE;
      if (column >= width || row >= height)
        continue;
      const int i = row * width + column;
      picture[3 * i] = red[k];
      picture[3 * i + 1] = green[k];
      picture[3 * i + 2] = blue[k];
      kept.left[i] = left[k];
      kept.looked_at[i] = last[k];
    }
  }
}

// From the last ellipse to the first: the light before one is that behind it, divided by 1 - alpha.
void openmp_composite_backward(Ellipses of, Ellipses gradients, Tiles tiles, const float *gpicture, int height,
                               int width, KeptOfPixels kept) {
  const int columns = (width + SIDE - 1) / SIDE, rows = (height + SIDE - 1) / SIDE;
#pragma omp parallel for schedule(dynamic, 4)
  for (int tile = 0; tile < rows * columns; ++tile) {
    const Pixels at(tile, columns);
    alignas(64) float left[PIXELS], behind[PIXELS] = {}, gr[PIXELS], gg[PIXELS], gb[PIXELS];
    alignas(64) int last[PIXELS];
    int most = 0;
    for (int k = 0; k < PIXELS; ++k) {
      const int column = tile % columns * SIDE + k % SIDE, row = tile / columns * SIDE + k / SIDE;
      const bool inside = column < width && row < height;
      const int i = inside ? row * width + column : 0;
      left[k] = inside ? kept.left[i] : 1;
      last[k] = inside ? kept.looked_at[i] : 0;
      gr[k] = inside ? gpicture[3 * i] : 0;
      gg[k] = inside ? gpicture[3 * i + 1] : 0;
      gb[k] = inside ? gpicture[3 * i + 2] : 0;
      most = std::max(most, last[k]);
    }
    const int begin = tiles.first[tile];
    for (int number = most - 1; number >= 0; --number) {
      const int m = tiles.members[begin + number];
      const float cx = of.centres[2 * m], cy = of.centres[2 * m + 1], opacity = of.opacities[m];
      const float qx = of.conics[3 * m], qy = of.conics[3 * m + 1], qz = of.conics[3 * m + 2];
      const float r = of.colours[3 * m], g = of.colours[3 * m + 1], b = of.colours[3 * m + 2];
      float sx = 0, sy = 0, sqx = 0, sqy = 0, sqz = 0, so = 0, sr = 0, sg = 0, sb = 0;
#pragma omp simd reduction(+ : sx, sy, sqx, sqy, sqz, so, sr, sg, sb)
      for (int k = 0; k < PIXELS; ++k) {
        float dx = cx - at.x[k], dy = cy - at.y[k];
        float power = -0.5f * (qx * dx * dx + qz * dy * dy) - qy * dx * dy;
        float shape = exp_of_negative(power), full = opacity * shape, alpha = std::min(0.99f, full);
        bool counts = number < last[k] && power <= 0 && alpha >= 1.0f / 255;
        float inverse = 1 / (1 - alpha), before = left[k] * inverse;
        float weight = counts ? before * alpha : 0, painted = gr[k] * r + gg[k] * g + gb[k] * b;
        float galpha = before * painted - behind[k] * inverse;
        float gfull = counts && full < 0.99f ? galpha : 0, gpower = gfull * full;
        left[k] = counts ? before : left[k];
        behind[k] += weight * painted;
        sx -= gpower * (qx * dx + qy * dy);
        sy -= gpower * (qz * dy + qy * dx);
        sqx -= 0.5f * gpower * dx * dx;
        sqy -= gpower * dx * dy;
        sqz -= 0.5f * gpower * dy * dy;
        so += gfull * shape;
        sr += weight * gr[k];
        sg += weight * gg[k];
        sb += weight * gb[k];
      }
      const auto add = [](float *to, float v) {
#pragma omp atomic
        *to += v;
      };
      add(gradients.centres + 2 * m, sx);
      add(gradients.centres + 2 * m + 1, sy);
      add(gradients.conics + 3 * m, sqx);
      add(gradients.conics + 3 * m + 1, sqy);
      add(gradients.conics + 3 * m + 2, sqz);
      add(gradients.opacities + m, so);
      add(gradients.colours + 3 * m, sr);
      add(gradients.colours + 3 * m + 1, sg);
      add(gradients.colours + 3 * m + 2, sb);
    }
  }
}
