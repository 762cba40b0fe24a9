// runtime/src/core/expression.h - evaluator of the integer expressions in shape, value, grid, block and shared_bytes.
//
// Knows the postfix code of abi.h and 64-bit checked arithmetic; where operands come from is the caller's business.

#ifndef KERNIX_CORE_EXPRESSION_H
#define KERNIX_CORE_EXPRESSION_H

#include "kernix/abi.h"

#include <string>

namespace kernix::core {

/// Supplies what an expression reads.
class Operands {
public:
  /// Value of a load instruction (SCALAR, SIZE, RANK, NUMEL, BLOCK). Returns a kernix_status, with an error set.
  virtual int load(const kernix_instruction &instruction, int64_t *value) = 0;
  /// The operand as the user wrote it ("x.size(0)"), for messages.
  virtual std::string operand_text(const kernix_instruction &instruction) const = 0;
  /// What stands in front of a message about an expression of this call, say the function's signature.
  virtual std::string context() const = 0;

protected:
  ~Operands() = default;
};

/// Where an expression stands, for messages: {"shape", "y", 0} is "shape of 'y', axis 0".
struct Place {
  const char *what;
  const char *parameter = nullptr;
  int32_t axis = -1;

  std::string text() const;
};

/// Evaluates; on an overflow or a division by zero sets an error that quotes the text and the operands' values.
int evaluate(const kernix_expression &expression, Operands &operands, const Place &place, int64_t *result);

/// "`x.size(0) - 5` (x.size(0) = 3)": text and operand values, for messages about a result.
std::string expression_text(const kernix_expression &expression, Operands &operands);

} // namespace kernix::core

#endif // KERNIX_CORE_EXPRESSION_H
