// workloads.h - workloads of ../gpu/sources twice: as kernels that kernix differentiates, on the CPU target (kernix_*),
// and as OpenMP loops by hand (openmp_*). Backward passes add to gradients.
//
// What a forward pass by hand keeps for its backward is in `kept`, which kernix does not use.
#pragma once

#define DECLARE_WORK(name, ...)                                                                                        \
  void kernix_##name(__VA_ARGS__);                                                                                     \
  void openmp_##name(__VA_ARGS__);

// Quaternions x [n, 4] and logarithms of scales s [n, 3] -> upper triangles of covariances c [n, 6].
DECLARE_WORK(covariance, int n, const float *x, const float *s, float *c)
DECLARE_WORK(covariance_backward, int n, const float *x, float *gx, const float *s, float *gs, const float *gc)

struct Ellipses {
  float *centres, *conics, *opacities, *colours; // [n, 2], [n, 3], [n], [n, 3]
};
struct Tiles {
  const int *first, *members;
};
// Tiles of 16 x 16 pixels; kept: the light left over, and the number of ellipses looked at, of each pixel.
struct KeptOfPixels {
  float *left;
  int *looked_at;
};
DECLARE_WORK(composite, Ellipses of, Tiles tiles, float *picture, int height, int width, KeptOfPixels kept)
DECLARE_WORK(composite_backward, Ellipses of, Ellipses gradients, Tiles tiles, const float *gpicture, int height,
             int width, KeptOfPixels kept)

// Structural similarity of x and z [height, width]; kept: three derivatives of each pixel.
DECLARE_WORK(ssim, const float *x, const float *z, float *y, int height, int width, float *kept)
DECLARE_WORK(ssim_backward, const float *x, float *gx, const float *z, const float *gy, int height, int width,
             const float *kept)

// Rows of 1024 numbers.
DECLARE_WORK(layer_norm, int rows, const float *x, const float *scale, const float *shift, float *y)
DECLARE_WORK(layer_norm_backward, int rows, const float *x, float *gx, const float *scale, float *gscale,
             const float *shift, float *gshift, const float *gy)

struct Segments {
  int rows;
  const int *first, *column;
};
// Weighted sums of rows of 64 numbers.
DECLARE_WORK(segments, Segments of, const float *weight, const float *x, float *y)
DECLARE_WORK(segments_backward, Segments of, const float *weight, float *gweight, const float *x, float *gx,
             const float *gy)
