//===- BodyIndex.cpp - from a variable to its uses --------------------------------------------------------------===//

#include "Binding/BodyIndex.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace kernix;

namespace {

using Mentions = llvm::DenseMap<const VarDecl *, std::vector<const DeclRefExpr *>>;

struct MentionFinder : DynamicRecursiveASTVisitor {
  Mentions &Found;
  std::vector<const CXXThisExpr *> &Objects;
  MentionFinder(Mentions &Found, std::vector<const CXXThisExpr *> &Objects) : Found(Found), Objects(Objects) {
    ShouldVisitImplicitCode = true;
    ShouldVisitLambdaBody = true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    if (auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      Found[Variable->getCanonicalDecl()].push_back(Reference);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *This) override {
    Objects.push_back(This);
    return true;
  }
};

} // namespace

BodyIndex::BodyIndex(Stmt *Body) : Parents(Body) { MentionFinder(Found, Objects).TraverseStmt(Body); }

llvm::ArrayRef<const DeclRefExpr *> BodyIndex::mentions(const VarDecl *Variable) const {
  auto It = Found.find(Variable->getCanonicalDecl());
  if (It == Found.end())
    return {};
  return It->second;
}

bool BodyIndex::isOnlyRead(const VarDecl *Variable) const {
  return llvm::all_of(mentions(Variable), [&](const DeclRefExpr *Mention) {
    const Stmt *Outer = parent(Mention);
    while (isa_and_nonnull<ParenExpr>(Outer))
      Outer = parent(Outer);
    const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Outer);
    return Cast && Cast->getCastKind() == CK_LValueToRValue;
  });
}
