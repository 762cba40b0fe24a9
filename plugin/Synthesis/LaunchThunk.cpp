//===- LaunchThunk.cpp - typed calls of host and device functions -----------------------------------------------===//

#include "Synthesis/LaunchThunk.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

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

/// void *const *
QualType argumentsType(ASTContext &Context) { return Context.getPointerType(Context.VoidPtrTy.withConst()); }

} // namespace

Expr *kernix::callThunk(AstBuilder &B, const BoundFunction &F) {
  if (F.Kind == KERNIX_HOST_FUNCTION) {
    FunctionDecl *Member = thunkMember(B, const_cast<FunctionDecl *>(F.Decl));
    return Member ? B.reference(Member) : nullptr;
  }
  if (F.DeviceThunk.empty())
    return B.null();
  QualType Parameters[] = {argumentsType(B.Context), B.Context.VoidPtrTy};
  FunctionDecl *Declaration = B.declaration(F.DeviceThunk, B.Context.VoidTy, Parameters);
  return B.reference(Declaration);
}

std::string kernix::deviceThunkSymbol(const BoundFunction &F, llvm::StringRef Unit) {
  // Each device object of the CPU target keeps its own copy of what it defines, inline functions included.
  if (Unit.empty()) {
    const SourceManager &SM = F.Decl->getASTContext().getSourceManager();
    if (OptionalFileEntryRef File = SM.getFileEntryRefForID(SM.getMainFileID()))
      Unit = File->getName();
  }
  std::string Key = F.MangledName + "@" + Unit.str();
  // The prefix keeps it visible to the host object (CpuTarget/DevicePass.cpp).
  return "kernix_export_" + llvm::utohexstr(llvm::xxh3_64bits(Key), /*LowerCase=*/true);
}

bool kernix::synthesizeDeviceThunk(AstBuilder &B, const BoundFunction &F) {
  FunctionDecl *Member = thunkMember(B, const_cast<FunctionDecl *>(F.Decl));
  if (!Member)
    return false;
  QualType Parameters[] = {argumentsType(B.Context), B.Context.VoidPtrTy};
  AstBuilder::FunctionOptions Options;
  Options.Hidden = true;
  Options.Device = true;
  return B.function(F.DeviceThunk, B.Context.VoidTy, Parameters, Options, [&](llvm::ArrayRef<ParmVarDecl *> P) {
    return B.call(Member, {B.reference(P[0]), B.reference(P[1])});
  });
}
