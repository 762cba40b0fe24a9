//===- ViewHooks.cpp - what views do around the launch of a backward kernel -------------------------------------===//

#include "Synthesis/ViewHooks.h"
#include "Binding/DiffViews.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Lookup.h"

using namespace clang;
using namespace kernix;

namespace {

/// `kernix::detail::ViewHooks<View>::value`
VarDecl *hooksOf(AstBuilder &B, QualType View) {
  ClassTemplateDecl *Template = B.detailTemplate("ViewHooks");
  if (!Template)
    return nullptr;
  View = View.getNonReferenceType().getUnqualifiedType();
  TemplateArgumentListInfo Arguments(B.Loc, B.Loc);
  Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(View), B.Context.getTrivialTypeSourceInfo(View, B.Loc)));
  QualType Hooks = B.S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Template), B.Loc, Arguments,
                                           /*Scope=*/nullptr, /*ForNestedNameSpecifier=*/false);
  if (Hooks.isNull() || B.S.RequireCompleteType(B.Loc, Hooks, 0))
    return nullptr;
  LookupResult Result(B.S, &B.Context.Idents.get("value"), B.Loc, Sema::LookupMemberName);
  B.S.LookupQualifiedName(Result, Hooks->getAsRecordDecl());
  return Result.isSingleResult() ? dyn_cast<VarDecl>(Result.getFoundDecl()) : nullptr;
}

} // namespace

/// Only gradients of inputs are brought together: that of an output is not written. A host function does it itself.
bool kernix::hasViewHooks(Sema &S, const BoundFunction &F, const Parameter &P) {
  return F.Derivative == KERNIX_BACKWARD_DERIVATIVE && F.Kind != KERNIX_HOST_FUNCTION && P.IsDiffView &&
         P.Shadow >= 0 && P.Access == KERNIX_ACCESS_IN &&
         (hasMember(S, P.Decl->getType(), "after") || hasMember(S, P.Decl->getType(), "scratch_size"));
}

Expr *kernix::viewHooks(AstBuilder &B, const BoundFunction &F, const Parameter &P) {
  if (!hasViewHooks(B.S, F, P))
    return B.null();
  VarDecl *Hooks = hooksOf(B, P.Decl->getType());
  return Hooks ? B.address(Hooks) : nullptr;
}

bool kernix::instantiateViewHooks(Sema &S, const Bindings &Bindings) {
  bool Any = false;
  for (const BoundFunction &F : Bindings.Functions)
    for (const Parameter &P : F.Parameters) {
      if (!hasViewHooks(S, F, P))
        continue;
      AstBuilder B(S, F.Location);
      VarDecl *Hooks = hooksOf(B, P.Decl->getType());
      if (!Hooks)
        return false;
      S.MarkVariableReferenced(F.Location, Hooks);
      Any = true;
    }
  if (Any)
    S.PerformPendingInstantiations();
  return true;
}
