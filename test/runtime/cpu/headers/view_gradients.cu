// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
//
// kernix::warp_sum, kernix::is_first_lane and kernix::atomic_add: here every thread is the first of a warp of its own,
// and what is added by the first ones is the whole sum, as on a GPU (test/gpu/test_view_gradients.py).
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <vector>

template <class T> __host__ __device__ T number(int k) { return T(static_cast<float>(k)); }
template <> __host__ __device__ float2 number<float2>(int k) { return {1.0f * k, 2.0f * k}; }
template <> __host__ __device__ float3 number<float3>(int k) { return {1.0f * k, 2.0f * k, 3.0f * k}; }
template <> __host__ __device__ float4 number<float4>(int k) { return {1.0f * k, 2.0f * k, 3.0f * k, 4.0f * k}; }

template <class T> bool is_number(T value, int k) { return static_cast<float>(value) == static_cast<float>(k); }
bool is_number(float2 value, int k) { return is_number(value.x, k) && is_number(value.y, 2 * k); }
bool is_number(float3 value, int k) { return is_number(float2{value.x, value.y}, k) && is_number(value.z, 3 * k); }
bool is_number(float4 value, int k) {
  return is_number(float3{value.x, value.y, value.z}, k) && is_number(value.w, 4 * k);
}

template <class T> struct Found {
  T all, some[2];
  int firsts, firsts_of_some;
};

// The last warp is not full; the lanes then go two ways, and a few go none.
template <class T> __global__ void add(Found<T> *found, T *sums, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n)
    return;
  const T own = number<T>(i % 5 + 1);
  sums[i] = kernix::warp_sum(own);
  if (kernix::is_first_lane()) {
    kernix::atomic_add(&found->all, sums[i]);
    atomicAdd(&found->firsts, 1);
  }
  if (i % 7 == 6)
    return;
  if (i % 3 == 1) {
    const T sum = kernix::warp_sum(own);
    if (kernix::is_first_lane()) {
      kernix::atomic_add(&found->some[0], sum);
      atomicAdd(&found->firsts_of_some, 1);
    }
  } else {
    const T sum = kernix::warp_sum(number<T>(1));
    if (kernix::is_first_lane())
      kernix::atomic_add(&found->some[1], sum);
  }
}

template <class T> void check(int n) {
  Found<T> found = {number<T>(0), {number<T>(0), number<T>(0)}, 0, 0};
  std::vector<T> sums(n, number<T>(0));
  add<<<(n + 39) / 40, 40>>>(&found, sums.data(), n);
  CHECK_CUDA(cudaDeviceSynchronize());
  int all = 0, first = 0, second = 0, firsts = 0;
  for (int i = 0; i < n; ++i) {
    CHECK(is_number(sums[i], i % 5 + 1));
    all += i % 5 + 1;
    if (i % 7 != 6)
      i % 3 == 1 ? first += i % 5 + 1, ++firsts : ++second;
  }
  CHECK(is_number(found.all, all) && is_number(found.some[0], first) && is_number(found.some[1], second));
  CHECK(found.firsts == n && found.firsts_of_some == firsts);
}

int main() {
  for (int n : {1, 20, 77}) {
    check<float>(n);
    check<double>(n);
    check<__half>(n);
    check<__nv_bfloat16>(n);
    check<float2>(n);
    check<float3>(n);
    check<float4>(n);
  }
}
