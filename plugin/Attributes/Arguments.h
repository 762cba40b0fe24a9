//===- Arguments.h - typed arguments of attributes ----------------------------------------------------------------===//
//
// A string, integer or launch extent as written in an attribute or in the YAML file, with its source location. Does not
// parse the expressions inside strings (Binding/Expressions does).
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_ARGUMENTS_H
#define KERNIX_ATTRIBUTES_ARGUMENTS_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Sema;
class StringLiteral;
} // namespace clang

namespace kernix {

/// A string literal of the source, or a scalar of the YAML file.
struct StringArgument {
  /// The characters after escapes and concatenation.
  std::string Text;
  /// The whole literal, quotes included.
  clang::SourceRange Range;
  /// Null for a string of the YAML file.
  const clang::StringLiteral *Literal = nullptr;
  /// Where each byte of Text, and its end, stands in the YAML file, as offsets from Range's begin; empty in the source.
  std::vector<unsigned> ByteOffsets;

  clang::SourceLocation location() const { return Range.getBegin(); }
  /// Where byte `Byte` of Text was written; Text.size() gives the place after its last character.
  clang::SourceLocation locationOf(size_t Byte, const clang::ASTContext &Context) const;
};

/// An integer constant. One that depends on template parameters has a value only for an instantiation.
struct IntegerArgument {
  clang::SourceRange Range;
  /// Null for an integer of the YAML file.
  clang::Expr *Written = nullptr;
  /// Absent while it depends on template parameters.
  std::optional<int64_t> Value;
  /// The smallest value that the attribute takes.
  int64_t Least = 0;
  /// For messages; without `kernix::`.
  llvm::StringRef AttributeName;

  clang::SourceLocation location() const { return Range.getBegin(); }
  /// The value in `Function`, with its template arguments put in; absent after an error was reported.
  std::optional<int64_t> valueIn(clang::Sema &S, const clang::FunctionDecl *Function) const;
};

/// The value of an integer constant of at least `Least`, or an error.
std::optional<int64_t> evaluate(clang::Sema &S, clang::Expr *Constant, int64_t Least, llvm::StringRef AttributeName);

/// One extent of a launch: a constant, or an expression in a string.
struct ExtentArgument {
  std::optional<IntegerArgument> Integer;
  std::optional<StringArgument> Expression;

  clang::SourceLocation location() const { return Integer ? Integer->location() : Expression->location(); }
};

// Whether two declarations say the same, locations aside.
bool same(const StringArgument &A, const StringArgument &B, const clang::ASTContext &Context);
bool same(const IntegerArgument &A, const IntegerArgument &B, const clang::ASTContext &Context);
bool same(const ExtentArgument &A, const ExtentArgument &B, const clang::ASTContext &Context);
bool same(const clang::Expr *A, const clang::Expr *B, const clang::ASTContext &Context);
template <class T> bool same(const std::optional<T> &A, const std::optional<T> &B, const clang::ASTContext &Context) {
  return A.has_value() == B.has_value() && (!A || same(*A, *B, Context));
}
template <class T, unsigned N>
bool same(const llvm::SmallVector<T, N> &A, const llvm::SmallVector<T, N> &B, const clang::ASTContext &Context) {
  if (A.size() != B.size())
    return false;
  for (size_t I = 0; I != A.size(); ++I)
    if (!same(A[I], B[I], Context))
      return false;
  return true;
}

/// What every attribute has.
struct AttributeBase {
  /// From the scope (`kernix`) to the last argument; in the YAML file the entry.
  clang::SourceRange Range;
  /// Given by the YAML file.
  bool External = false;

  clang::SourceLocation location() const { return Range.getBegin(); }
};

} // namespace kernix

#endif
