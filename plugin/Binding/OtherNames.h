//===- OtherNames.h - names that stand for no function that could be bound ----------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_OTHERNAMES_H
#define KERNIX_BINDING_OTHERNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace clang {
class ASTContext;
class NamedDecl;
} // namespace clang

namespace kernix {

/// What a name stands for instead, and what to do.
struct OtherName {
  const clang::NamedDecl *Declaration = nullptr; ///< null for a macro
  llvm::StringRef What;                          ///< "a class"
  llvm::StringRef Advice;
};

/// Looks for a declaration of this name, qualified or not, that is no free function and no static member function.
std::optional<OtherName> findOtherName(const clang::ASTContext &Context, llvm::StringRef Name);

} // namespace kernix

#endif // KERNIX_BINDING_OTHERNAMES_H
