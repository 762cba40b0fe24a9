// runtime/src/core/select.cpp - chooses the variant of an operation by the dtypes of the given arguments.
//
// A tensor must have exactly the parameter's dtype, a scalar must be convertible. Among variants that fit, those that
// take every scalar as what it is (an int as an integer, a float as floating point) are preferred. What remains must be
// one, or differ in the width of scalars only: then it is the widest, since callers' numbers have 64 bits. An operation
// with one function is not checked here: kernix_call says better what is wrong; so it does where the number of axes
// alone keeps one variant from being chosen. Variants that a selector says are not
// available on the call's device do not count.

#include "core/parameter.h"
#include "core/scalar.h"
#include "core/text.h"
#include "kernix/abi.h"
#include "selector/bound.h"
#include "selector/watch.h"

#include <algorithm>
#include <string>

namespace kernix::core {

namespace {

enum class Fit { No, Converted, Exact };

enum class Ranks { Checked, Any };

Fit fit_tensor(const kernix_parameter &parameter, const kernix_value &value, Ranks ranks) {
  if (value.kind != KERNIX_VALUE_TENSOR)
    return Fit::No;
  const bool fits = parameter.dtype.code == KERNIX_NO_DTYPE || same_dtype(value.as.tensor->dtype, parameter.dtype);
  if (!fits)
    return Fit::No;
  if (ranks == Ranks::Any)
    return Fit::Exact;
  const int32_t axes = value.as.tensor->ndim - parameter.element_ndim;
  return (parameter.rank < 0 ? axes >= 0 : axes == parameter.rank) ? Fit::Exact : Fit::No;
}

Fit fit_struct(const kernix_value &value) { return value.kind == KERNIX_VALUE_FIELDS ? Fit::Exact : Fit::No; }

Fit fit_scalar(const kernix_parameter &parameter, const kernix_value &value) {
  alignas(double) char object[2 * sizeof(double)];
  switch (convert_scalar(value, parameter, object)) {
  case Conversion::Exact:
    return Fit::Exact;
  case Conversion::Promoted:
    return Fit::Converted;
  default:
    return Fit::No;
  }
}

Fit fit_parameter(const kernix_function &function, const kernix_parameter &parameter, const kernix_value &value,
                  Ranks ranks) {
  if (value.kind == KERNIX_VALUE_ABSENT || value.kind == KERNIX_VALUE_NONE)
    return Fit::Exact;
  switch (treatment(function, parameter)) {
  case Treatment::Tensor:
  case Treatment::Cell:
  case Treatment::Device:
    return fit_tensor(parameter, value, ranks);
  case Treatment::Scalar:
    return fit_scalar(parameter, value);
  case Treatment::Struct:
    return fit_struct(value);
  case Treatment::String:
    return value.kind == KERNIX_VALUE_STRING ? Fit::Exact : Fit::No;
  case Treatment::Stream:
  case Treatment::Local:
    break;
  }
  return Fit::Exact;
}

/// Where the first tensor is, the first device of the target if there is none.
kernix_device device_of(const kernix_operation &operation, const kernix_value *values) {
  kernix_device device = {operation.module->target == KERNIX_TARGET_CUDA ? KERNIX_CUDA : KERNIX_CPU, 0};
  for (int32_t i = 0; i < operation.functions[0]->num_parameters; ++i)
    if (values[i].kind == KERNIX_VALUE_TENSOR && values[i].as.tensor->device_type == device.type)
      return {device.type, device.type == KERNIX_CUDA ? values[i].as.tensor->device_id : 0};
  return device;
}

/// "cuda:0" if the variant was registered as unavailable there, else "".
std::string unavailable_on(const kernix_operation &operation, const kernix_function &function,
                           const kernix_value *values) {
  if (!selector::is_watched(KERNIX_WATCH_AVAILABILITY)) [[likely]]
    return {};
  const kernix_device device = device_of(operation, values);
  return selector::is_unavailable(operation, function, device) ? device_text(device.type, device.index) : std::string();
}

Fit fit_function(const kernix_function &function, const kernix_value *values, Ranks ranks = Ranks::Checked) {
  Fit fit = Fit::Exact;
  for (int32_t i = 0; i < function.num_parameters && fit != Fit::No; ++i)
    if (Fit one = fit_parameter(function, function.parameters[i], values[i], ranks); one < fit)
      fit = one;
  return fit;
}

/// "x: a tensor of float64, a: int 3"; with ranks "x: a tensor of float64 and shape (2, 3)".
std::string given_text(const kernix_function &function, const kernix_value *values, bool has_ranks) {
  std::string text;
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    if (values[i].kind == KERNIX_VALUE_ABSENT)
      continue;
    text += (text.empty() ? "" : ", ") + std::string(function.parameters[i].name) + ": " + value_text(values[i]);
    if (has_ranks && values[i].kind == KERNIX_VALUE_TENSOR)
      text += " and shape " + tuple_text(values[i].as.tensor->shape, values[i].as.tensor->ndim);
  }
  return text.empty() ? "no arguments" : text;
}

/// "\n  f(const float *x, float a) with x: float32, a: float32"; with ranks "x: float32 of rank 2".
std::string variant_text(const kernix_function &function, bool has_ranks) {
  std::string text = std::string("\n  ") + function.signature;
  const char *separator = " with ";
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const kernix_parameter &parameter = function.parameters[i];
    if (parameter.dtype.code == KERNIX_NO_DTYPE || is_hidden(parameter))
      continue;
    text += separator + std::string(parameter.name) + ": " + dtype_text(parameter.dtype);
    if (has_ranks && is_tensor(treatment(function, parameter)) && parameter.rank >= 0)
      text += " of rank " + std::to_string(parameter.rank + parameter.element_ndim);
    separator = ", ";
  }
  return text;
}

int fail(const kernix_operation &operation, const kernix_value *values, Fit wanted, const char *problem) {
  const auto fits_any_rank = [&](const kernix_function *function) {
    return fit_function(*function, values, Ranks::Any) != Fit::No;
  };
  const bool has_ranks = wanted == Fit::No &&
                         std::any_of(operation.functions, operation.functions + operation.num_functions, fits_any_rank);
  std::string text;
  for (int32_t i = 0; i < operation.num_functions; ++i)
    if (wanted == Fit::No || fit_function(*operation.functions[i], values) == wanted) {
      const std::string without = unavailable_on(operation, *operation.functions[i], values);
      text += variant_text(*operation.functions[i], has_ranks) +
              (without.empty() ? "" : " (not available on " + without + ")");
    }
  return kernix_set_error(KERNIX_ERROR_TYPE, "%s: %s (%s):%s", operation.name, problem,
                          given_text(*operation.functions[0], values, has_ranks).c_str(), text.c_str());
}

/// The only variant that would take the arguments if its tensors had other ranks: kernix_call says which. Null if there
/// is none, or are several.
const kernix_function *only_wrong_in_rank(const kernix_operation &operation, const kernix_value *values) {
  const kernix_function *found = nullptr;
  for (int32_t i = 0; i < operation.num_functions; ++i) {
    const kernix_function &function = *operation.functions[i];
    if (fit_function(function, values, Ranks::Any) == Fit::No || !unavailable_on(operation, function, values).empty())
      continue;
    if (found)
      return nullptr;
    found = &function;
  }
  return found;
}

bool is_floating(kernix_dtype dtype) { return dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT; }

/// Whether `one` takes all that was given as `other` does, scalars of the same kind as wide or wider.
bool is_as_wide(const kernix_function &one, const kernix_function &other, const kernix_value *values) {
  for (int32_t i = 0; i < one.num_parameters; ++i) {
    const kernix_dtype a = one.parameters[i].dtype, b = other.parameters[i].dtype;
    // A gradient that is not given has the dtype of its value, and the value that of its gradient.
    const bool has_shadow = is_shadow(one.parameters[i]) || one.parameters[i].shadow >= 0;
    const bool follows = is_hidden(one.parameters[i]) || has_shadow;
    if (same_dtype(a, b) || (values[i].kind == KERNIX_VALUE_ABSENT && follows))
      continue;
    const bool are_scalars = treatment(one, one.parameters[i]) == Treatment::Scalar &&
                             treatment(other, other.parameters[i]) == Treatment::Scalar;
    if (!are_scalars || (a.code != b.code && !(is_floating(a) && is_floating(b))) || a.bits <= b.bits)
      return false;
  }
  return true;
}

/// The one among those of a fit that is as wide as all others; null if there is none.
const kernix_function *widest(const kernix_operation &operation, const kernix_value *values, Fit fit) {
  const kernix_function *found = nullptr;
  const auto fits = [&](const kernix_function &function) {
    return fit_function(function, values) == fit && unavailable_on(operation, function, values).empty();
  };
  for (int32_t i = 0; i < operation.num_functions; ++i) {
    const kernix_function &function = *operation.functions[i];
    if (fits(function) && (!found || is_as_wide(function, *found, values)))
      found = &function;
  }
  for (int32_t i = 0; i < operation.num_functions; ++i) {
    const kernix_function &function = *operation.functions[i];
    if (&function != found && fits(function) && !is_as_wide(*found, function, values))
      return nullptr;
  }
  return found;
}

int select(const kernix_operation &operation, const kernix_value *values, const kernix_function **function) {
  const kernix_function *best = nullptr;
  Fit best_fit = Fit::No;
  int count = 0;
  for (int32_t i = 0; i < operation.num_functions; ++i) {
    const Fit fit = fit_function(*operation.functions[i], values);
    if (fit == Fit::No || fit < best_fit || !unavailable_on(operation, *operation.functions[i], values).empty())
      continue;
    count = fit > best_fit ? 1 : count + 1;
    best = fit > best_fit ? operation.functions[i] : best;
    best_fit = fit;
  }
  if (count == 0)
    best = only_wrong_in_rank(operation, values);
  if (count == 0 && !best)
    return fail(operation, values, Fit::No, "no variant takes these arguments");
  if (count > 1)
    best = widest(operation, values, best_fit);
  if (!best)
    return fail(operation, values, best_fit, "several variants take these arguments");
  *function = best;
  return KERNIX_OK;
}

} // namespace

} // namespace kernix::core

int kernix_select(const kernix_operation *operation, const kernix_value *values, int32_t num_values,
                  const kernix_function **function) {
  const kernix_function &first = *operation->functions[0];
  if (num_values != first.num_parameters)
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: expected %d arguments, got %d", operation->name,
                            first.num_parameters, num_values);
  if (operation->num_functions == 1 && kernix::core::unavailable_on(*operation, first, values).empty()) {
    *function = &first;
    return KERNIX_OK;
  }
  return kernix::core::select(*operation, values, function);
}
