// runtime/src/selector/variant_dtype.cpp

#include "selector/variant_dtype.h"
#include "core/parameter.h"
#include "selector/kernel_dtype.h"

namespace kernix::selector {

namespace {

bool is_tensor(const kernix_function &function, int32_t index) {
  return core::is_tensor(core::treatment(function, function.parameters[index]));
}

bool is_floating_tensor(const kernix_function &function, int32_t index) {
  return is_tensor(function, index) && is_floating(function.parameters[index].dtype);
}

/// Whether some variant has another dtype for this parameter.
bool differs(const kernix_operation &operation, int32_t index) {
  const kernix_dtype first = operation.functions[0]->parameters[index].dtype;
  for (int32_t v = 1; v < operation.num_functions; ++v)
    if (!is_same(operation.functions[v]->parameters[index].dtype, first))
      return true;
  return false;
}

bool is_read(const kernix_parameter &parameter) {
  return parameter.role == KERNIX_ARG || parameter.access == KERNIX_ACCESS_INOUT;
}

/// Of the tensors that `counts` picks: none, one kernel dtype, or MIXED.
struct Common {
  bool has_any = false;
  int32_t dtype = -1;
};

template <class Counts> Common common_dtype(const kernix_function &function, Counts &&counts) {
  const kernix_dtype *first = nullptr;
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    if (!is_floating_tensor(function, i) || !counts(i))
      continue;
    const kernix_dtype &dtype = function.parameters[i].dtype;
    if (first && !is_same(*first, dtype))
      return {true, KERNIX_KERNEL_MIXED};
    first = first ? first : &dtype;
  }
  if (!first)
    return {};
  constexpr uint8_t most_bits = 32; // float64 is no kernel dtype
  return {true, first->bits <= most_bits ? kernel_dtype_of(*first) : -1};
}

} // namespace

int32_t variant_dtype(const kernix_operation &operation, int32_t variant) {
  const kernix_function &function = *operation.functions[variant];
  const auto differing_input = [&](int32_t i) { return is_read(function.parameters[i]) && differs(operation, i); };
  const auto differing = [&](int32_t i) { return differs(operation, i); };
  const auto input = [&](int32_t i) { return is_read(function.parameters[i]); };
  if (const Common found = common_dtype(function, differing_input); found.has_any)
    return found.dtype;
  if (const Common found = common_dtype(function, differing); found.has_any)
    return found.dtype;
  // Variants of which this one has no float where they differ are told apart by other types.
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (is_tensor(function, i) && differs(operation, i))
      for (int32_t v = 0; v < operation.num_functions; ++v)
        if (is_floating_tensor(*operation.functions[v], i))
          return -1;
  if (const Common found = common_dtype(function, input); found.has_any)
    return found.dtype;
  return common_dtype(function, [](int32_t) { return true; }).dtype;
}

} // namespace kernix::selector
