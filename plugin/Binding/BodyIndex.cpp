//===- BodyIndex.cpp - from a variable to its uses --------------------------------------------------------------===//

#include "Binding/BodyIndex.h"
#include "Binding/RunCode.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace kernix;

class BodyIndex::Finder : public DynamicRecursiveASTVisitor {
public:
  explicit Finder(BodyIndex &Index) : Index(Index) {
    ShouldVisitImplicitCode = true;
    ShouldVisitLambdaBody = true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    if (auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      Index.Variables[Variable->getCanonicalDecl()].push_back(Reference);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *Member) override {
    if (auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
      Index.Fields[Field->getCanonicalDecl()].push_back(Member);
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) override {
    if (const FunctionDecl *Callee = calledFunction(*Call))
      Index.Calls[Callee->getCanonicalDecl()].push_back(Call);
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *This) override {
    Index.Objects.push_back(This);
    return true;
  }
  /// No child of the one that stands for it.
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *Default) override {
    Index.Parents.addStmt(Default->getExpr());
    Index.Parents.setParent(Default->getExpr(), Default);
    return true;
  }

private:
  BodyIndex &Index;
};

namespace {

template <class Map, class Key> auto found(const Map &In, const Key *Of) {
  auto It = In.find(Of->getCanonicalDecl());
  return It == In.end() ? decltype(llvm::ArrayRef(It->second)){} : llvm::ArrayRef(It->second);
}

} // namespace

BodyIndex::BodyIndex(Stmt *Body) : Parents(Body) { Finder(*this).TraverseStmt(Body); }

BodyIndex::BodyIndex(const FunctionDecl *Definition) : BodyIndex(Definition->getBody()) {
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition);
  if (!Constructor)
    return;
  for (const CXXCtorInitializer *Each : Constructor->inits()) {
    Parents.addStmt(Each->getInit());
    Finder(*this).TraverseStmt(Each->getInit());
    Initializers[Each->getInit()] = Each;
  }
}

llvm::ArrayRef<const DeclRefExpr *> BodyIndex::mentions(const VarDecl *Variable) const {
  return found(Variables, Variable);
}

llvm::ArrayRef<const MemberExpr *> BodyIndex::mentions(const FieldDecl *Field) const { return found(Fields, Field); }

llvm::ArrayRef<const CallExpr *> BodyIndex::calls(const FunctionDecl *Function) const { return found(Calls, Function); }

bool BodyIndex::isOnlyRead(const VarDecl *Variable) const {
  return llvm::all_of(mentions(Variable), [&](const DeclRefExpr *Mention) {
    const Stmt *Outer = parent(Mention);
    while (isa_and_nonnull<ParenExpr>(Outer))
      Outer = parent(Outer);
    const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Outer);
    return Cast && Cast->getCastKind() == CK_LValueToRValue;
  });
}
