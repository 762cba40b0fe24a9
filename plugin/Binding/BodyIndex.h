//===- BodyIndex.h - from a variable to its uses ------------------------------------------------------*- C++ -*-===//
//
// The mentions of each variable in one body, and the way from an expression to the one it is part of.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BODYINDEX_H
#define KERNIX_BINDING_BODYINDEX_H

#include "clang/AST/ParentMap.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace clang {
class CXXThisExpr;
class DeclRefExpr;
class VarDecl;
} // namespace clang

namespace kernix {

class BodyIndex {
public:
  explicit BodyIndex(clang::Stmt *Body);

  llvm::ArrayRef<const clang::DeclRefExpr *> mentions(const clang::VarDecl *Variable) const;
  /// Each `this`, the ones that are not written too.
  llvm::ArrayRef<const clang::CXXThisExpr *> objects() const { return Objects; }
  const clang::Stmt *parent(const clang::Stmt *S) const { return Parents.getParent(S); }
  /// Every mention only loads the value of the variable.
  bool isOnlyRead(const clang::VarDecl *Variable) const;

private:
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> Found;
  std::vector<const clang::CXXThisExpr *> Objects;
  clang::ParentMap Parents;
};

} // namespace kernix

#endif // KERNIX_BINDING_BODYINDEX_H
