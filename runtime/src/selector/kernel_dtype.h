// runtime/src/selector/kernel_dtype.h - kernel dtypes: which one a tensor has, and which one a name ends in.

#ifndef KERNIX_SELECTOR_KERNEL_DTYPE_H
#define KERNIX_SELECTOR_KERNEL_DTYPE_H

#include "kernix/selector_abi.h"

#include <cstdint>
#include <string_view>

namespace kernix::selector {

/// Those that a kernel can have: all but AUTO.
inline constexpr int num_kernel_dtypes = 4;

constexpr uint32_t bit(int32_t kernel_dtype) { return uint32_t{1} << kernel_dtype; }

constexpr bool is_same(kernix_dtype a, kernix_dtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

constexpr bool is_floating(kernix_dtype dtype) { return dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT; }

constexpr bool is_known(kernix_dtype dtype) {
  if (dtype.lanes != 1)
    return false;
  switch (dtype.code) {
  case KERNIX_INT:
  case KERNIX_UINT:
    return dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  case KERNIX_FLOAT:
    return dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  case KERNIX_BFLOAT:
    return dtype.bits == 16;
  case KERNIX_COMPLEX:
    return dtype.bits == 64 || dtype.bits == 128;
  case KERNIX_BOOL:
    return dtype.bits == 8;
  default:
    return false;
  }
}

/// Everything that is not a 16-bit float is FLOAT32.
constexpr int32_t kernel_dtype_of(kernix_dtype dtype) {
  if (dtype.bits != 16 || !is_floating(dtype))
    return KERNIX_KERNEL_FLOAT32;
  return dtype.code == KERNIX_FLOAT ? KERNIX_KERNEL_FLOAT16 : KERNIX_KERNEL_BFLOAT16;
}

/// Of several tensors: FLOAT32 for none, that of equal ones, else MIXED.
constexpr int32_t kernel_dtype_of(const kernix_dtype *dtypes, int32_t count) {
  for (int32_t i = 1; i < count; ++i)
    if (!is_same(dtypes[i], dtypes[0]))
      return KERNIX_KERNEL_MIXED;
  return count > 0 ? kernel_dtype_of(dtypes[0]) : KERNIX_KERNEL_FLOAT32;
}

inline constexpr size_t suffix_length = 5;

/// The dtype that the name of an operation ends in, or -1: "conv2d_fp16" is FLOAT16.
constexpr int32_t suffix_of(std::string_view operation) {
  if (operation.size() <= suffix_length || operation[operation.size() - suffix_length] != '_')
    return -1;
  const std::string_view suffix = operation.substr(operation.size() - suffix_length + 1);
  if (suffix == "fp16")
    return KERNIX_KERNEL_FLOAT16;
  if (suffix == "bf16")
    return KERNIX_KERNEL_BFLOAT16;
  return suffix == "fp32" ? KERNIX_KERNEL_FLOAT32 : -1;
}

constexpr std::string_view without_suffix(std::string_view operation) {
  return operation.substr(0, operation.size() - suffix_length);
}

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_KERNEL_DTYPE_H
