//===- BodyIndex.h - from a variable to its uses ------------------------------------------------------*- C++ -*-===//
//
// The mentions of each variable, field and function in one body, and the way from an expression to the one it is part
// of.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BODYINDEX_H
#define KERNIX_BINDING_BODYINDEX_H

#include "clang/AST/ParentMap.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace clang {
class CallExpr;
class CXXCtorInitializer;
class CXXThisExpr;
class DeclRefExpr;
class Expr;
class FieldDecl;
class FunctionDecl;
class MemberExpr;
class VarDecl;
} // namespace clang

namespace kernix {

class BodyIndex {
public:
  explicit BodyIndex(clang::Stmt *Body);
  /// With what a constructor initializes.
  explicit BodyIndex(const clang::FunctionDecl *Definition);

  llvm::ArrayRef<const clang::DeclRefExpr *> mentions(const clang::VarDecl *Variable) const;
  llvm::ArrayRef<const clang::MemberExpr *> mentions(const clang::FieldDecl *Field) const;
  /// The calls that run this function and no other.
  llvm::ArrayRef<const clang::CallExpr *> calls(const clang::FunctionDecl *Function) const;
  /// The field or base that a constructor initializes with the whole of `E`; null for other expressions.
  const clang::CXXCtorInitializer *initializer(const clang::Expr *E) const { return Initializers.lookup(E); }
  /// Each `this`, the ones that are not written too.
  llvm::ArrayRef<const clang::CXXThisExpr *> objects() const { return Objects; }
  const clang::Stmt *parent(const clang::Stmt *S) const { return Parents.getParent(S); }
  /// Every mention only loads the value of the variable.
  bool isOnlyRead(const clang::VarDecl *Variable) const;

private:
  class Finder;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> Variables;
  llvm::DenseMap<const clang::FieldDecl *, std::vector<const clang::MemberExpr *>> Fields;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::CallExpr *>> Calls;
  llvm::DenseMap<const clang::Expr *, const clang::CXXCtorInitializer *> Initializers;
  std::vector<const clang::CXXThisExpr *> Objects;
  clang::ParentMap Parents;
};

} // namespace kernix

#endif // KERNIX_BINDING_BODYINDEX_H
