// missing/bn_tile.cuh - stands for the header that brainevent 0.3.0 includes and does not contain: only declarations,
// so that its signatures can be read. Nothing is run with it.

#pragma once

#include "brainevent/common.h"

namespace bn_tile {

constexpr int kTileSize = 8192;
int row_chunks(int rows);

template <class T>
cudaError_t launch(const T *values, const uint16_t *targets, const int64_t *row_ptr, const int32_t *tile_offsets,
                   const int8_t *spikes, T *output, int32_t *active_rows, void *workspace, int rows, int cols,
                   int batch, cudaStream_t stream);
template <class T>
cudaError_t launch_homo(const T *values, const uint16_t *targets, const int64_t *row_ptr, const int32_t *tile_offsets,
                        const int8_t *spikes, T *output, int32_t *active_rows, void *workspace, int rows, int cols,
                        int batch, cudaStream_t stream);

} // namespace bn_tile
