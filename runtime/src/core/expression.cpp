// runtime/src/core/expression.cpp - evaluator of the integer expressions in shape, value, grid, block, shared_bytes.

#include "core/expression.h"

#include <limits>
#include <vector>

namespace kernix::core {

namespace {

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();

enum class Fault { None, Overflow, DivisionByZero, Malformed };

bool is_load(int32_t opcode) {
  switch (opcode) {
  case KERNIX_OP_SCALAR:
  case KERNIX_OP_SIZE:
  case KERNIX_OP_RANK:
  case KERNIX_OP_NUMEL:
  case KERNIX_OP_BLOCK:
    return true;
  default:
    return false;
  }
}

Fault divide(int64_t a, int64_t b, int64_t *result) {
  if (b == 0)
    return Fault::DivisionByZero;
  if (a == lowest && b == -1)
    return Fault::Overflow;
  *result = a / b;
  return Fault::None;
}

Fault remainder(int64_t a, int64_t b, int64_t *result) {
  if (b == 0)
    return Fault::DivisionByZero;
  *result = b == -1 ? 0 : a % b; // INT64_MIN % -1 traps
  return Fault::None;
}

Fault ceil_div(int64_t a, int64_t b, int64_t *result) {
  if (Fault fault = divide(a, b, result); fault != Fault::None)
    return fault;
  int64_t rest = a - *result * b;
  if (rest != 0 && (rest < 0) == (b < 0))
    ++*result;
  return Fault::None;
}

Fault binary(int32_t opcode, int64_t a, int64_t b, int64_t *result) {
  switch (opcode) {
  case KERNIX_OP_ADD:
    return __builtin_add_overflow(a, b, result) ? Fault::Overflow : Fault::None;
  case KERNIX_OP_SUBTRACT:
    return __builtin_sub_overflow(a, b, result) ? Fault::Overflow : Fault::None;
  case KERNIX_OP_MULTIPLY:
    return __builtin_mul_overflow(a, b, result) ? Fault::Overflow : Fault::None;
  case KERNIX_OP_DIVIDE:
    return divide(a, b, result);
  case KERNIX_OP_REMAINDER:
    return remainder(a, b, result);
  case KERNIX_OP_CEIL_DIV:
    return ceil_div(a, b, result);
  case KERNIX_OP_MIN:
    *result = a < b ? a : b;
    return Fault::None;
  case KERNIX_OP_MAX:
    *result = a > b ? a : b;
    return Fault::None;
  default:
    return Fault::Malformed;
  }
}

const char *fault_text(Fault fault) {
  switch (fault) {
  case Fault::Overflow:
    return "the result does not fit in 64 bits";
  case Fault::DivisionByZero:
    return "division by zero";
  default:
    return "malformed expression";
  }
}

int fail(const kernix_expression &expression, Operands &operands, const Place &place, Fault fault) {
  std::string text = expression_text(expression, operands); // may set an error of its own: before ours
  return kernix_set_error(KERNIX_ERROR_VALUE, "%s: %s: %s: %s", operands.context().c_str(), place.text().c_str(),
                          text.c_str(), fault_text(fault));
}

} // namespace

std::string Place::text() const {
  std::string text = what;
  if (parameter)
    text += std::string(" of '") + parameter + "'";
  if (axis >= 0)
    text += ", axis " + std::to_string(axis);
  return text;
}

std::string expression_text(const kernix_expression &expression, Operands &operands) {
  std::string text = std::string("`") + expression.text + "`";
  std::vector<std::string> seen;
  for (int32_t i = 0; i < expression.size; ++i) {
    const kernix_instruction &instruction = expression.code[i];
    int64_t value;
    if (!is_load(instruction.opcode) || operands.load(instruction, &value) != KERNIX_OK)
      continue;
    std::string operand = operands.operand_text(instruction) + " = " + std::to_string(value);
    bool known = false;
    for (const std::string &other : seen)
      known = known || other == operand;
    if (known)
      continue;
    text += (seen.empty() ? " (" : ", ") + operand;
    seen.push_back(std::move(operand));
  }
  return seen.empty() ? text : text + ")";
}

int evaluate(const kernix_expression &expression, Operands &operands, const Place &place, int64_t *result) {
  constexpr int32_t inline_depth = 32;
  int64_t inline_stack[inline_depth];
  std::vector<int64_t> deep_stack;
  int64_t *stack = inline_stack;
  if (expression.size > inline_depth) {
    deep_stack.resize(static_cast<size_t>(expression.size));
    stack = deep_stack.data();
  }
  int32_t depth = 0;
  for (int32_t i = 0; i < expression.size; ++i) {
    const kernix_instruction &instruction = expression.code[i];
    if (instruction.opcode == KERNIX_OP_CONSTANT) {
      stack[depth++] = instruction.value;
      continue;
    }
    if (is_load(instruction.opcode)) {
      if (int status = operands.load(instruction, &stack[depth]); status != KERNIX_OK)
        return status;
      ++depth;
      continue;
    }
    Fault fault = Fault::Malformed;
    if (instruction.opcode == KERNIX_OP_NEGATE && depth >= 1) {
      fault = __builtin_sub_overflow(int64_t{0}, stack[depth - 1], &stack[depth - 1]) ? Fault::Overflow : Fault::None;
    } else if (depth >= 2) {
      int64_t value = 0;
      fault = binary(instruction.opcode, stack[depth - 2], stack[depth - 1], &value);
      stack[--depth - 1] = value;
    }
    if (fault != Fault::None)
      return fail(expression, operands, place, fault);
  }
  if (depth != 1)
    return fail(expression, operands, place, Fault::Malformed);
  *result = stack[0];
  return KERNIX_OK;
}

} // namespace kernix::core
