// runtime/src/core/resolve.cpp - computes what the caller left out from what it gave: values and shapes.
//
// Values and shapes depend on each other in any order, so each is computed when first asked for. The compiler has
// refused cycles; meeting one here is reported, not looped over.

#include "core/frame.h"

#include "core/text.h"

#include <algorithm>
#include <cstring>

namespace kernix::core {

using State = Argument::State;

namespace {

kernix_value integer_value(int64_t integer) {
  kernix_value value = {};
  value.kind = KERNIX_VALUE_INT;
  value.as.integer = integer;
  return value;
}

} // namespace

int Frame::fail_cycle(int32_t index) const {
  return fail(KERNIX_ERROR_RUNTIME, std::string("'") + parameter(index).name + "' depends on itself");
}

int Frame::fail_unknown_sizes(int32_t index) const {
  const bool is_pointer = parameter(index).passing == KERNIX_PASS_POINTER; // of a view the kernel itself asks
  const bool is_for_grid = function_.kind == KERNIX_KERNEL && is_pointer && index == first_output();
  return fail(KERNIX_ERROR_TYPE, std::string("the sizes of '") + parameter(index).name +
                                     "', which is not given, are not known: give it" +
                                     (is_for_grid ? ", or the size of the grid" : ""));
}

int Frame::resolve() {
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    const kernix_parameter &target = parameter(i);
    int status = KERNIX_OK;
    // A pointer has no sizes: those of what it points to are computed where an expression asks for them.
    if (argument(i).has_only_sizes && target.passing == KERNIX_PASS_POINTER)
      continue;
    if (argument(i).state == State::Pending)
      status = is_tensor(treatment(function_, target)) ? resolve_shape(i) : resolve_integer(i);
    else if (argument(i).is_given && target.value.code)
      status = compare_integer(i);
    else if (argument(i).is_given && target.shape.declared)
      status = compare_shape(i);
    if (status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

int Frame::resolve_integer(int32_t index) {
  Argument &argument = this->argument(index);
  const kernix_parameter &target = parameter(index);
  if (argument.state == State::InProgress)
    return fail_cycle(index);
  argument.state = State::InProgress;
  int64_t integer;
  if (int status = evaluate(target.value, *this, {"value", target.name}, &integer); status != KERNIX_OK)
    return status;
  const kernix_value value = integer_value(integer);
  const Conversion outcome = convert_scalar(value, target.dtype, argument.object);
  if (!is_accepted(outcome))
    return fail(KERNIX_ERROR_VALUE, Place{"value", target.name}.text() + ": expected " +
                                        expected_scalar_text(target.dtype, outcome) + ", got " +
                                        expression_text(target.value, *this) + " = " + std::to_string(integer));
  argument.integer = integer;
  argument.state = State::Computed;
  return KERNIX_OK;
}

int Frame::compare_integer(int32_t index) {
  const kernix_parameter &target = parameter(index);
  const Argument &argument = this->argument(index);
  int64_t integer;
  if (int status = evaluate(target.value, *this, {"value", target.name}, &integer); status != KERNIX_OK)
    return status;
  // Compared in the parameter's type: a floating-point parameter may have a computed value too.
  alignas(double) char computed[2 * sizeof(double)] = {};
  const Conversion outcome = convert_scalar(integer_value(integer), target.dtype, computed);
  if (is_accepted(outcome) && std::memcmp(computed, argument.object, target.dtype.bits / 8) == 0)
    return KERNIX_OK;
  return fail(KERNIX_ERROR_VALUE, index,
              std::to_string(integer) + ", the value of " + expression_text(target.value, *this),
              value_text(values_[index]));
}

int Frame::resolve_shape(int32_t index) {
  Argument &argument = this->argument(index);
  switch (argument.state) {
  case State::Given:
  case State::Computed:
  case State::Null:
    return KERNIX_OK;
  case State::Missing:
    return fail_missing(index);
  case State::InProgress:
    return fail_cycle(index);
  case State::Pending:
    break;
  }
  const kernix_parameter &target = parameter(index);
  if (argument.has_only_sizes && !target.shape.declared && treatment(function_, target) != Treatment::Device)
    return fail_unknown_sizes(index);
  argument.state = State::InProgress;
  if (int status = compute_shape(index, argument.own_shape, &argument.ndim); status != KERNIX_OK) {
    argument.state = State::Pending;
    return status;
  }
  argument.shape = argument.own_shape;
  argument.state = State::Computed;
  return KERNIX_OK;
}

/// The shape in elements, followed by the axes of one element.
int Frame::compute_shape(int32_t index, int64_t *shape, int32_t *ndim) {
  const kernix_parameter &target = parameter(index);
  const Place place = {"shape", target.name};
  int32_t axes = 0;
  if (treatment(function_, target) == Treatment::Device) {
    if (target.passing == KERNIX_PASS_ARRAY)
      shape[axes++] = target.array_length;
  } else if (target.shape.like >= 0) {
    const Argument &other = sizes_of(target.shape.like);
    if (int status = resolve_shape(target.shape.like); status != KERNIX_OK)
      return status;
    if (other.state == State::Null)
      return fail(KERNIX_ERROR_VALUE,
                  place.text() + ": it is that of '" + parameter(target.shape.like).name + "', which is not given");
    axes = other.ndim;
    std::copy_n(other.shape, axes, shape);
  } else {
    axes = target.shape.ndim;
    if (axes > KERNIX_MAX_RANK)
      return fail(KERNIX_ERROR_VALUE, place.text() + ": more than " + std::to_string(KERNIX_MAX_RANK) + " axes");
    for (int32_t d = 0; d < axes; ++d) {
      const kernix_expression &expression = target.shape.axes[d];
      if (int status = evaluate(expression, *this, {"shape", target.name, d}, &shape[d]); status != KERNIX_OK)
        return status;
      if (shape[d] < 0)
        return fail(KERNIX_ERROR_VALUE, Place{"shape", target.name, d}.text() + ": " +
                                            expression_text(expression, *this) +
                                            " is negative: " + std::to_string(shape[d]));
    }
  }
  if (axes + target.element_ndim > KERNIX_MAX_RANK)
    return fail(KERNIX_ERROR_VALUE, place.text() + ": more than " + std::to_string(KERNIX_MAX_RANK) + " axes");
  if (target.rank >= 0 && axes != target.rank && treatment(function_, target) == Treatment::Tensor)
    return fail(KERNIX_ERROR_VALUE, place.text() + ": expected rank " + std::to_string(target.rank) + ", got shape " +
                                        tuple_text(shape, axes));
  for (int32_t d = 0; d < target.element_ndim; ++d)
    shape[axes + d] = target.element_shape[d];
  int64_t bytes = target.dtype.bits;
  for (int32_t d = 0; d < axes + target.element_ndim; ++d)
    if (__builtin_mul_overflow(bytes, shape[d] > 0 ? shape[d] : 1, &bytes))
      return fail(KERNIX_ERROR_VALUE, place.text() + ": " + tuple_text(shape, axes) + " is too large");
  *ndim = axes;
  return KERNIX_OK;
}

int Frame::output_shape(int32_t index, int64_t *shape, int32_t *ndim) {
  if (index < 0 || index >= function_.num_parameters)
    return fail(KERNIX_ERROR_VALUE, "no parameter " + std::to_string(index));
  const kernix_parameter &target = parameter(index);
  const Treatment kind = treatment(function_, target);
  if (kind != Treatment::Device && !(is_tensor(kind) && target.shape.declared))
    return fail(KERNIX_ERROR_TYPE, std::string("argument '") + target.name + "' has no shape attribute");
  if (int status = compute_shape(index, shape, ndim); status != KERNIX_OK)
    return status;
  *ndim += target.element_ndim;
  return KERNIX_OK;
}

int Frame::compare_shape(int32_t index) {
  const Argument &argument = this->argument(index);
  int64_t shape[KERNIX_MAX_RANK];
  int32_t ndim;
  if (int status = compute_shape(index, shape, &ndim); status != KERNIX_OK)
    return status;
  if (ndim == argument.ndim && std::equal(shape, shape + ndim, argument.shape))
    return KERNIX_OK;
  const kernix_parameter &target = parameter(index);
  // The gradient of one value: of shape () or (1,), as the caller likes.
  if (is_shadow(target) && target.shape.like < 0 && target.shape.ndim == 1 && numel(index) == 1)
    return KERNIX_OK;
  std::string declared;
  if (target.shape.like >= 0)
    declared = std::string("that of '") + parameter(target.shape.like).name + "'";
  else
    for (int32_t d = 0; d < target.shape.ndim; ++d)
      declared += std::string(d ? ", `" : "`") + target.shape.axes[d].text + "`";
  const int32_t all = argument.ndim + target.element_ndim;
  return fail(KERNIX_ERROR_VALUE, index,
              "shape " + tuple_text(shape, ndim + target.element_ndim) + (declared.empty() ? "" : ", " + declared),
              tuple_text(argument.shape, all));
}

int64_t Frame::numel(int32_t index) const {
  const Argument &argument = sizes_of(index);
  if (argument.state == State::Null)
    return 0;
  int64_t result = 1;
  for (int32_t d = 0; d < argument.ndim; ++d)
    result *= argument.shape[d];
  return result;
}

int Frame::load(const kernix_instruction &instruction, int64_t *value) {
  const int32_t index = instruction.parameter;
  switch (instruction.opcode) {
  case KERNIX_OP_BLOCK:
    if (!block_ || instruction.value < 0 || instruction.value > 2)
      return fail(KERNIX_ERROR_RUNTIME, "the block size is used where it is not known");
    *value = block_[instruction.value];
    return KERNIX_OK;
  case KERNIX_OP_SCALAR: {
    Argument &argument = this->argument(index);
    if (argument.state == State::Missing)
      return fail_missing(index);
    if (argument.state == State::Pending || argument.state == State::InProgress)
      if (int status = resolve_integer(index); status != KERNIX_OK)
        return status;
    if (!argument.fits_int64)
      return fail(KERNIX_ERROR_VALUE, index, "an integer below 2**63 (it is used in an expression)",
                  "int " + std::to_string(static_cast<uint64_t>(argument.integer)));
    *value = argument.integer;
    return KERNIX_OK;
  }
  default:
    break;
  }
  if (int status = resolve_shape(index); status != KERNIX_OK)
    return status;
  const Argument &argument = sizes_of(index);
  const bool is_null = argument.state == State::Null; // an empty view: size 0 along every axis
  switch (instruction.opcode) {
  case KERNIX_OP_SIZE: {
    const int64_t axis = instruction.value < 0 ? instruction.value + argument.ndim : instruction.value;
    if (is_null)
      *value = 0;
    else if (axis < 0 || axis >= argument.ndim)
      return fail(KERNIX_ERROR_VALUE, operand_text(instruction) + ": '" + parameter(index).name + "' has shape " +
                                          tuple_text(argument.shape, argument.ndim));
    else
      *value = argument.shape[axis];
    return KERNIX_OK;
  }
  case KERNIX_OP_RANK:
    *value = is_null ? (parameter(index).rank > 0 ? parameter(index).rank : 1) : argument.ndim;
    return KERNIX_OK;
  case KERNIX_OP_NUMEL:
    *value = numel(index);
    return KERNIX_OK;
  default:
    return fail(KERNIX_ERROR_RUNTIME, "unknown instruction " + std::to_string(instruction.opcode));
  }
}

std::string Frame::operand_text(const kernix_instruction &instruction) const {
  if (instruction.opcode == KERNIX_OP_BLOCK)
    return std::string("block.") + "xyz"[instruction.value & 3];
  std::string name = parameter(instruction.parameter).name;
  switch (instruction.opcode) {
  case KERNIX_OP_SIZE:
    return name + ".size(" + std::to_string(instruction.value) + ")";
  case KERNIX_OP_RANK:
    return name + ".rank()";
  case KERNIX_OP_NUMEL:
    return name + ".numel()";
  default:
    return name;
  }
}

} // namespace kernix::core
