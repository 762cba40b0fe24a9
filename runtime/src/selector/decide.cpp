// runtime/src/selector/decide.cpp

#include "selector/decide.h"

namespace kernix::selector {

namespace {

/// Integers beside floats, such as indices, do not make inputs mixed.
bool are_mixed(const kernix_dtype *dtypes, int32_t count) {
  const kernix_dtype *first = nullptr;
  for (int32_t i = 0; i < count; ++i) {
    if (!is_floating(dtypes[i]))
      continue;
    if (first && !is_same(*first, dtypes[i]))
      return true;
    first = first ? first : &dtypes[i];
  }
  return false;
}

/// The dtype that holds all inputs: that of equal ones, else Float32.
int32_t promoted(const kernix_dtype *dtypes, int32_t count) {
  int32_t common = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (!is_floating(dtypes[i]))
      continue;
    const int32_t one = kernel_dtype_of(dtypes[i]);
    if (common >= 0 && common != one)
      return KERNIX_KERNEL_FLOAT32;
    common = one;
  }
  return common < 0 ? static_cast<int32_t>(KERNIX_KERNEL_FLOAT32) : common;
}

/// By average times if all kernels have enough of them, else by performance factors; the first of equal ones.
Decision fastest(uint32_t available, const OperationEntry &entry) {
  Decision by_time{-1, KERNIX_REASON_MEASURED}, by_factor{-1, KERNIX_REASON_FACTOR};
  float least = 0, greatest = 0;
  bool are_measured = true;
  for (int32_t dtype = 0; dtype < num_kernel_dtypes; ++dtype) {
    kernix_capability capability;
    if (!(available & bit(dtype)) || !entry.capability(dtype, &capability))
      continue;
    const float time = entry.statistics(dtype).average_of_enough();
    are_measured = are_measured && time >= 0;
    if (by_time.dtype < 0 || time < least)
      by_time.dtype = dtype, least = time;
    if (by_factor.dtype < 0 || capability.performance_factor > greatest)
      by_factor.dtype = dtype, greatest = capability.performance_factor;
  }
  // Only while the capabilities are being replaced.
  if (by_factor.dtype < 0)
    return {KERNIX_KERNEL_FLOAT32, KERNIX_REASON_FALLBACK};
  return are_measured ? by_time : by_factor;
}

} // namespace

Decision decide(OperationEntry::State state, const OperationEntry *entry, const kernix_dtype *dtypes, int32_t count,
                int32_t preferred) {
  const auto is_available = [&](int32_t dtype) { return (state.available & bit(dtype)) != 0; };
  if (preferred != KERNIX_KERNEL_AUTO && is_available(preferred))
    return {preferred, KERNIX_REASON_PREFERRED};
  const bool has_mixed = is_available(KERNIX_KERNEL_MIXED);
  if (has_mixed && are_mixed(dtypes, count))
    return {KERNIX_KERNEL_MIXED, KERNIX_REASON_MIXED};

  // A kernel for mixed inputs is none for equal ones.
  const uint32_t uniform = state.available & ~bit(KERNIX_KERNEL_MIXED);
  if (state.policy == KERNIX_POLICY_RANKED && uniform && entry)
    return fastest(uniform, *entry);
  if (state.policy == KERNIX_POLICY_PROMOTE) {
    const int32_t dtype = promoted(dtypes, count);
    if (is_available(dtype))
      return {dtype, KERNIX_REASON_PROMOTED};
    return {KERNIX_KERNEL_FLOAT32,
            is_available(KERNIX_KERNEL_FLOAT32) ? KERNIX_REASON_PROMOTED : KERNIX_REASON_FALLBACK};
  }
  for (int32_t i = 0; i < count; ++i)
    if (const int32_t dtype = kernel_dtype_of(dtypes[i]); is_available(dtype))
      return {dtype, KERNIX_REASON_INPUT};
  return {KERNIX_KERNEL_FLOAT32, KERNIX_REASON_FALLBACK};
}

} // namespace kernix::selector
