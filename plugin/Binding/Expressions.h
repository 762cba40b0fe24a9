//===- Expressions.h - integer expressions in attribute strings ---------------------------------------*- C++ -*-===//
//
// Parses and checks "ceil_div(x.size(0), block.x)" into the postfix form of abi.h. It knows names only through the
// parameter list, and reports an error as a byte offset into the text; who calls it turns that into a caret.
//
//   expression := term (('+' | '-') term)*            term := unary (('*' | '/' | '%') unary)*
//   unary      := '-' unary | primary
//   primary    := integer | '(' expression ')' | scalar | tensor '.' ('size' '(' '-'? integer ')' | 'rank()' |
//   'numel()')
//               | 'ceil_div' | 'min' | 'max' '(' expression ',' expression ')' | 'block' '.' ('x' | 'y' | 'z')
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_EXPRESSIONS_H
#define KERNIX_BINDING_EXPRESSIONS_H

#include "Binding/BoundFunction.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace kernix {

struct ExpressionError {
  size_t Offset = 0; ///< into the text
  size_t Length = 1;
  std::string Message;
};

struct ExpressionScope {
  llvm::ArrayRef<Parameter> Parameters;
  bool AllowBlock = false; ///< block.x and relatives: only where the block size is known
};

/// Parses `Text`; on failure `Error` is set and nothing is returned.
std::optional<Expression> parseExpression(llvm::StringRef Text, const ExpressionScope &Scope, ExpressionError &Error);

/// The index of the parameter that `Name` means: in the definition, or in another declaration of the function. -1:
/// none, -2: it is not the same one everywhere.
int findParameter(llvm::ArrayRef<Parameter> Parameters, llvm::StringRef Name);

/// The parameters that an expression reads.
llvm::SmallVector<int, 4> referencedParameters(const Expression &E);

} // namespace kernix

#endif // KERNIX_BINDING_EXPRESSIONS_H
