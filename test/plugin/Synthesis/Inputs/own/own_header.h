// Of a library that is included like a system header.
#pragma once
#pragma clang system_header
__device__ inline float __from_header(float x) { return x; }
extern "C" __device__ inline float c_from_header(float x) { return x; }
