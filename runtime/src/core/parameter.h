// runtime/src/core/parameter.h - questions about one parameter of a bound function.

#ifndef KERNIX_CORE_PARAMETER_H
#define KERNIX_CORE_PARAMETER_H

#include "kernix/abi.h"

namespace kernix::core {

/// How the runtime treats a parameter.
enum class Treatment {
  Tensor, ///< tensor given by the caller or allocated for it: pointers and views
  Cell,   ///< reference with inout_ptr or out_ptr: a tensor of exactly one element
  Device, ///< out_return reference or array of a kernel: a tensor that the call allocates, shape () or (N,)
  Local,  ///< out_return reference or array of a host or device function: memory in the caller's result storage
  Scalar,
  Struct,
  String,
  Stream
};

inline bool has_fields(const kernix_parameter &parameter) { return parameter.num_fields > 0; }

inline Treatment treatment(const kernix_function &function, const kernix_parameter &parameter) {
  switch (parameter.passing) {
  case KERNIX_PASS_POINTER:
  case KERNIX_PASS_TENSOR_VIEW:
  case KERNIX_PASS_TENSOR:
    return Treatment::Tensor;
  case KERNIX_PASS_REFERENCE:
    switch (parameter.intent) {
    case KERNIX_INTENT_INOUT_PTR:
    case KERNIX_INTENT_OUT_PTR:
      return Treatment::Cell;
    case KERNIX_INTENT_OUT_RETURN:
      return function.kind == KERNIX_KERNEL ? Treatment::Device : Treatment::Local;
    case KERNIX_INTENT_OUT_ARRAY_RETURN: // T (&)[N]
      return Treatment::Local;
    default: // `in` on the reference of a device function: a copy
      return has_fields(parameter) ? Treatment::Struct : Treatment::Scalar;
    }
  case KERNIX_PASS_ARRAY:
    return function.kind == KERNIX_KERNEL ? Treatment::Device : Treatment::Local;
  case KERNIX_PASS_STRUCT:
    return Treatment::Struct;
  case KERNIX_PASS_C_STRING:
  case KERNIX_PASS_STRING_VIEW:
    return Treatment::String;
  case KERNIX_PASS_STREAM:
    return Treatment::Stream;
  default:
    return Treatment::Scalar;
  }
}

inline bool is_tensor(Treatment treatment) { return treatment <= Treatment::Device; }

/// Callers never see these: they are filled by the runtime.
inline bool is_hidden(const kernix_parameter &parameter) {
  return parameter.role == KERNIX_STREAM || parameter.passing == KERNIX_PASS_STREAM ||
         parameter.intent == KERNIX_INTENT_OUT_RETURN || parameter.intent == KERNIX_INTENT_OUT_ARRAY_RETURN;
}

/// The call gives this parameter back (docs/calling.md, packing).
inline bool is_returned(const kernix_parameter &parameter) {
  if (parameter.intent == KERNIX_INTENT_OUT_RETURN || parameter.intent == KERNIX_INTENT_OUT_ARRAY_RETURN)
    return true;
  return parameter.intent == KERNIX_INTENT_DEFAULT && parameter.role == KERNIX_RET && parameter.shape.declared;
}

inline bool is_written(const kernix_parameter &parameter) {
  return (parameter.flags & KERNIX_WRITTEN) != 0 || parameter.role == KERNIX_RET;
}

inline bool is_shadow(const kernix_parameter &parameter) {
  return (parameter.flags & (KERNIX_GRADIENT | KERNIX_COTANGENT | KERNIX_TANGENT)) != 0;
}

/// Left out of a call, the runtime allocates it.
inline bool is_allocated(Treatment treatment, const kernix_parameter &parameter) {
  if (treatment == Treatment::Tensor && (parameter.flags & KERNIX_TANGENT))
    return true;
  return treatment == Treatment::Device ||
         (treatment == Treatment::Tensor && is_written(parameter) && parameter.shape.declared &&
          parameter.intent != KERNIX_INTENT_INOUT_PTR && parameter.intent != KERNIX_INTENT_OUT_PTR);
}

/// What is allocated for it has to be zero: of an output that is left as it was, the tangent is.
inline bool starts_at_zero(const kernix_parameter &parameter) {
  return (parameter.flags & (KERNIX_ZERO_INIT | KERNIX_TANGENT)) != 0;
}

inline bool same_dtype(kernix_dtype a, kernix_dtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Elements of a `Device` or `Local` array; 1 for a reference to anything else.
inline int64_t array_length(const kernix_parameter &parameter) {
  return parameter.array_length > 0 ? parameter.array_length : 1;
}

} // namespace kernix::core

#endif // KERNIX_CORE_PARAMETER_H
