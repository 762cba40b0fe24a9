//===- Members.cpp - members that need an object, as functions ---------------------------------------------------===//

#include "Binding/Members.h"
#include "Synthesis/AstBuilder.h"

using namespace clang;
using namespace kernix;

namespace {

/// `C(arguments...)`
Expr *construct(AstBuilder &B, QualType Class, llvm::ArrayRef<Expr *> Arguments) {
  llvm::SmallVector<Expr *, 8> Given(Arguments);
  ExprResult Made = B.S.BuildCXXTypeConstructExpr(B.Context.getTrivialTypeSourceInfo(Class, B.Loc), B.Loc, Given, B.Loc,
                                                  /*ListInitialization=*/false);
  return Made.isInvalid() ? nullptr : Made.get();
}

/// What stands on a parameter of the member stands on that of the function.
void copyParameter(AttributeStore &Store, const ParmVarDecl *From, ParmVarDecl *To) {
  To->setDeclName(From->getDeclName());
  To->setLocation(From->getLocation());
  if (From->hasDefaultArg() && !From->hasUnparsedDefaultArg() && !From->hasUninstantiatedDefaultArg())
    To->setDefaultArg(const_cast<Expr *>(From->getDefaultArg()));
  if (const DeclAttributes *Attributes = Store.lookup(From)) {
    DeclAttributes Copy = *Attributes;
    Store.written(To) = std::move(Copy);
  }
}

} // namespace

const CXXMethodDecl *kernix::memberToWrap(const FunctionDecl *F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  return Method && (Method->isInstance() || isa<CXXConstructorDecl>(Method)) ? Method : nullptr;
}

FunctionDecl *kernix::functionOfMember(Sema &S, AttributeStore &Store, const CXXMethodDecl *Member,
                                       llvm::StringRef Symbol) {
  AstBuilder B(S, Member->getLocation());
  if (FunctionDecl *Known = B.findFunction(Symbol))
    return Known;
  auto *Callee = const_cast<CXXMethodDecl *>(Member);
  const bool Constructs = isa<CXXConstructorDecl>(Member);
  QualType Class = S.Context.getCanonicalTagType(Member->getParent());
  llvm::SmallVector<QualType, 8> Types;
  if (!Constructs)
    Types.push_back(S.Context.getLValueReferenceType(Member->getFunctionObjectParameterType()));
  for (const ParmVarDecl *P : Member->parameters())
    Types.push_back(P->getType());
  AstBuilder::FunctionOptions Options;
  Options.Device = true;
  Options.Used = false;
  FunctionDecl *F =
      B.function(Symbol, Constructs ? Class : Member->getReturnType(), Types, Options,
                 [&](llvm::ArrayRef<ParmVarDecl *> Parameters) {
                   llvm::SmallVector<Expr *, 8> Arguments;
                   for (ParmVarDecl *P : Parameters)
                     Arguments.push_back(B.forward(P));
                   return Constructs ? construct(B, Class, Arguments) : B.callWithObject(Callee, Arguments);
                 });
  if (!F)
    return nullptr;
  if (!Constructs) {
    ParmVarDecl *Self = F->getParamDecl(0);
    Self->setDeclName(&S.Context.Idents.get("self"));
    if (!Self->getType().getNonReferenceType().isConstQualified()) {
      IntentAttribute Intent;
      Intent.Kind = IntentKind::InoutPtr;
      Intent.Range = SourceRange(Member->getLocation());
      Store.written(Self).Intent = Intent;
    }
  }
  for (unsigned I = 0; I < Member->getNumParams(); ++I)
    copyParameter(Store, Member->getParamDecl(I), F->getParamDecl(I + (Constructs ? 0 : 1)));
  return F;
}
