//===- FunctionNames.h - the functions of a translation unit by name ----------------------------------------------===//
//
// Finds the functions that a name written outside the source, `f`, `space::f` or `f(const float *, int)`, stands for.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_FUNCTIONNAMES_H
#define KERNIX_BINDING_FUNCTIONNAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace kernix {

struct StringArgument;
class Diagnostics;

class FunctionNames {
public:
  /// Collects the functions, function templates and static member functions that were declared.
  explicit FunctionNames(const clang::ASTContext &Context);

  /// The first declarations of the functions that the name stands for: all overloads, or the one whose parameter types
  /// are given. Empty after an error was reported at the name.
  llvm::SmallVector<const clang::FunctionDecl *, 2> find(Diagnostics &Diag, const StringArgument &Name) const;

  /// Whether `find` would find something.
  bool declares(llvm::StringRef Name) const;

private:
  using Overloads = llvm::SmallVector<const clang::FunctionDecl *, 2>;

  const Overloads *findAll(Diagnostics &Diag, const StringArgument &Written, llvm::StringRef Name) const;

  const clang::ASTContext &Context;
  /// By qualified name; of a name that user code declares, only what user code declares.
  std::map<std::string, Overloads> ByName;
};

} // namespace kernix

#endif
