//===- BuiltinCalls.cpp - calls of library functions that clang knows ---------------------------------------------===//

#include "Attributes/BuiltinCalls.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace kernix {
namespace {

class CallSearch : public ConstDynamicRecursiveASTVisitor {
public:
  CallSearch(const FunctionDecl &F, SourceLocation Place) : Context(F.getASTContext()), F(F), Place(Place) {}

  const CallExpr *Found = nullptr;

  void search(const DeclContext *Scope) {
    for (const Decl *D : Scope->decls()) {
      if (Found || !isBefore(D->getBeginLoc()))
        return;
      if (isa<NamespaceDecl, LinkageSpecDecl>(D))
        search(cast<DeclContext>(D));
      else if (const auto *Function = dyn_cast<FunctionDecl>(D); Function && isCompiledAtOnce(Function))
        TraverseStmt(Function->getBody());
    }
  }

  bool VisitCallExpr(const CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee && declaresSameEntity(Callee, &F))
      Found = Call;
    return !Found;
  }

private:
  ASTContext &Context;
  const FunctionDecl &F;
  SourceLocation Place;

  bool isBefore(SourceLocation Other) const {
    return Context.getSourceManager().isBeforeInTranslationUnit(Other, Place);
  }

  /// Inline functions and instances of templates are compiled at the end of the file.
  bool isCompiledAtOnce(const FunctionDecl *Function) const {
    return Function->isThisDeclarationADefinition() && !Function->isTemplated() && Context.DeclMustBeEmitted(Function);
  }
};

} // namespace

bool keepCalls(FunctionDecl &F) {
  unsigned Known = F.getBuiltinID();
  if (Known && !F.getASTContext().BuiltinInfo.isPredefinedLibFunction(Known))
    return false;
  for (FunctionDecl *Each : F.redecls())
    Each->dropAttr<BuiltinAttr>();
  return true;
}

const CallExpr *callCompiledBefore(const FunctionDecl &F, SourceLocation Place) {
  if (!F.isExternC() || !F.getIdentifier()->getBuiltinID())
    return nullptr;
  CallSearch Search(F, Place);
  Search.search(F.getASTContext().getTranslationUnitDecl());
  return Search.Found;
}

} // namespace kernix
