// workloads.h - workloads of ../../gpu/sources twice: as kernels that kernix differentiates, on the CPU target
// (kernix_*, NAME.cu), and as OpenMP loops by hand (openmp_*, NAME_openmp.cpp). Backward passes add to gradients.
//
// What a forward pass by hand keeps for its backward is in `kept`, which kernix does not use.
#pragma once

#define DECLARE_WORK(name, ...)                                                                                        \
  void kernix_##name(__VA_ARGS__);                                                                                     \
  void openmp_##name(__VA_ARGS__);

// -- gaussians

// Quaternions x [n, 4] and logarithms of scales s [n, 3] -> upper triangles of covariances c [n, 6].
DECLARE_WORK(covariance, int n, const float *x, const float *s, float *c)
DECLARE_WORK(covariance_backward, int n, const float *x, float *gx, const float *s, float *gs, const float *gc)

// Places x [n, 3] and covariances c [n, 6], seen through view [3, 4] -> pixels and covariances there u [n, 5].
DECLARE_WORK(projection, int n, const float *x, const float *c, const float *view, float *u, float focal)
DECLARE_WORK(projection_backward, int n, const float *x, float *gx, const float *c, float *gc, const float *view,
             const float *gu, float focal)

// Directions x [n, 3] and coefficients of spherical harmonics k [n, 16, 3] -> colours c [n, 3].
DECLARE_WORK(colours, int n, const float *x, const float *k, float *c)
DECLARE_WORK(colours_backward, int n, const float *x, float *gx, const float *k, float *gk, const float *gc)

// -- hash_grid

struct HashGrid {
  int levels, size;
  float growth;
};
// Points x [n, 3] and features table [levels, size, 2] -> y [levels, n, 2].
DECLARE_WORK(encode, HashGrid of, int n, const float *x, const float *table, float *y)
DECLARE_WORK(encode_backward, HashGrid of, int n, const float *x, const float *table, float *gtable, const float *gy)

// -- compositing

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

// -- ssim

// Structural similarity of x and z [height, width]; kept: three derivatives of each pixel.
DECLARE_WORK(ssim, const float *x, const float *z, float *y, int height, int width, float *kept)
DECLARE_WORK(ssim_backward, const float *x, float *gx, const float *z, const float *gy, int height, int width,
             const float *kept)

// -- segments

struct Segments {
  int rows;
  const int *first, *column;
};
// Weighted sums of rows of 64 numbers.
DECLARE_WORK(segments, Segments of, const float *weight, const float *x, float *y)
DECLARE_WORK(segments_backward, Segments of, const float *weight, float *gweight, const float *x, float *gx,
             const float *gy)

// -- lennard_jones

struct Particles {
  int n, count;
  const int *neighbours; // [count, n]
  float box, reach;
};
// Places x [n, 4] -> forces and energies y [n, 4].
DECLARE_WORK(forces, Particles of, const float *x, float *y)
DECLARE_WORK(forces_backward, Particles of, const float *x, float *gx, const float *gy)

// -- rows of 1024 numbers

DECLARE_WORK(layer_norm, int rows, const float *x, const float *scale, const float *shift, float *y)
DECLARE_WORK(layer_norm_backward, int rows, const float *x, float *gx, const float *scale, float *gscale,
             const float *shift, float *gshift, const float *gy)

// kept: y, the result of the forward pass.
DECLARE_WORK(softmax, int rows, const float *x, float *y)
DECLARE_WORK(softmax_backward, int rows, const float *x, float *gx, const float *gy, const float *kept)

// -- embedding

// Rows of 64 numbers of a table, as ids [n] ask for -> y [n, 64].
DECLARE_WORK(embedding, int n, const float *table, const int *ids, float *y)
DECLARE_WORK(embedding_backward, int n, const float *table, float *gtable, const int *ids, const float *gy)

// -- depthwise

struct Planes {
  int images, channels, height, width;
};
// Convolution of each plane x with the weights of its channel w [channels, 3, 3], zeros around.
DECLARE_WORK(depthwise, Planes of, const float *x, const float *w, float *y)
DECLARE_WORK(depthwise_backward, Planes of, const float *x, float *gx, const float *w, float *gw, const float *gy)

// -- one_value

// x [n, 4], w [1] -> y = w x x.
DECLARE_WORK(one_value, int n, const float *x, const float *w, float *y)
DECLARE_WORK(one_value_backward, int n, const float *x, float *gx, const float *w, float *gw, const float *gy)

// -- matmul

// a [m, k], b [k, 2048] -> c [m, 2048]; m and k are multiples of 128.
DECLARE_WORK(matmul, int m, int k, const float *a, const float *b, float *c)
DECLARE_WORK(matmul_backward, int m, int k, const float *a, float *ga, const float *b, float *gb, const float *gc)
