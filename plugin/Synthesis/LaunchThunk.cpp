//===- LaunchThunk.cpp - typed calls of host and device functions ----------------------------------------------------===//

#include "Synthesis/LaunchThunk.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Template.h"

using namespace clang;
using namespace kernix;

namespace {

/// `kernix::detail::Thunk<decltype(f), &f>::call`
FunctionDecl *thunkMember(AstBuilder &B, FunctionDecl *F) {
  ClassTemplateDecl *Template = B.detailTemplate("Thunk");
  if (!Template)
    return nullptr;
  QualType Type = F->getType();
  TemplateArgumentListInfo Arguments(B.Loc, B.Loc);
  Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Type), B.Context.getTrivialTypeSourceInfo(Type, B.Loc)));
  Expr *Address = B.address(F);
  Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Address, /*IsCanonical=*/false), Address));
  QualType Thunk = B.S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Template), B.Loc, Arguments,
                                           /*Scope=*/nullptr, /*ForNestedNameSpecifier=*/false);
  if (Thunk.isNull() || B.S.RequireCompleteType(B.Loc, Thunk, 0))
    return nullptr;
  LookupResult Result(B.S, &B.Context.Idents.get("call"), B.Loc, Sema::LookupMemberName);
  B.S.LookupQualifiedName(Result, Thunk->getAsRecordDecl());
  return Result.isSingleResult() ? dyn_cast<FunctionDecl>(Result.getFoundDecl()) : nullptr;
}

} // namespace

Expr *kernix::callThunk(AstBuilder &B, const BoundFunction &F) {
  if (F.Kind != KERNIX_HOST_FUNCTION)
    return B.null();
  FunctionDecl *Member = thunkMember(B, const_cast<FunctionDecl *>(F.Decl));
  return Member ? B.reference(Member) : nullptr;
}
