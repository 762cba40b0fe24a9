// workload_layer_norm.cu - launches of layer_norm in rows.cu. 64 blocks: enough for the threads of a CPU.
#include "../gpu/sources/rows.cu"
#include "workloads.h"

namespace {
const float4 *fours(const float *of) { return reinterpret_cast<const float4 *>(of); }
float4 *fours(float *of) { return reinterpret_cast<float4 *>(of); }
} // namespace

void kernix_layer_norm(int rows, const float *x, const float *scale, const float *shift, float *y) {
  layer_norm<<<64, THREADS>>>(fours(x), fours(scale), fours(shift), fours(y), rows);
}

void kernix_layer_norm_backward(int rows, const float *x, float *gx, const float *scale, float *gscale,
                                const float *shift, float *gshift, const float *gy) {
  layer_norm_bwd<<<64, THREADS>>>(fours(x), fours(gx), fours(scale), fours(gscale), fours(shift), fours(gshift),
                                  nullptr, fours(gy), rows);
}
