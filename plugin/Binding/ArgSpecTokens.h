//===- ArgSpecTokens.h - the words of an arg_spec -----------------------------------------------------*- C++ -*-===//
//
// Splits a string such as "arg ret attr.scale:float32 stream" into tokens, with aliases replaced, and refuses what no
// function could have. Knows nothing of the function; ExplicitArgSpec.h compares the tokens with its parameters.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_ARGSPECTOKENS_H
#define KERNIX_BINDING_ARGSPECTOKENS_H

#include "Attributes/Arguments.h"
#include "kernix/abi.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace kernix {

struct ArgSpecToken {
  kernix_role Role = KERNIX_ATTR;
  llvm::StringRef Text; ///< as written, in the string that was given
  size_t Offset = 0;    ///< of Text
  bool Plural = false;  ///< written as `args` or `rets`
  // Of attributes.
  llvm::StringRef Name;
  llvm::StringRef Type; ///< empty: that of the parameter
  size_t TypeOffset = 0;

  clang::SourceRange rangeIn(const StringArgument &Spec, const clang::ASTContext &Context) const {
    return {Spec.locationOf(Offset, Context), Spec.locationOf(Offset + Text.size() - 1, Context)};
  }
};

/// Nothing after an error was reported at its place in `Spec`, whose text the tokens point into.
std::optional<std::vector<ArgSpecToken>> parseArgSpec(const clang::ASTContext &Context, const StringArgument &Spec);

/// Of `float32` and the like; nothing for `string` and `struct`.
std::optional<kernix_dtype> argSpecDtype(llvm::StringRef Type);

} // namespace kernix

#endif // KERNIX_BINDING_ARGSPECTOKENS_H
