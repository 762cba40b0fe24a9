// vectors.h - arrays of numbers as arrays of CUDA's vectors, for launches.
#pragma once
#include "workloads.h"
#include <cuda_runtime.h>

inline const float2 *pairs(const float *of) { return reinterpret_cast<const float2 *>(of); }
inline float2 *pairs(float *of) { return reinterpret_cast<float2 *>(of); }
inline const float3 *triples(const float *of) { return reinterpret_cast<const float3 *>(of); }
inline float3 *triples(float *of) { return reinterpret_cast<float3 *>(of); }
inline const float4 *fours(const float *of) { return reinterpret_cast<const float4 *>(of); }
inline float4 *fours(float *of) { return reinterpret_cast<float4 *>(of); }
