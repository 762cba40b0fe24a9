//===- LaunchThunk.cpp - typed calls of host and device functions -----------------------------------------------===//

#include "Synthesis/LaunchThunk.h"
#include "Binding/Types.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

/// The function's type with what callers give in place of parameters that are converted; null without any.
QualType givenType(ASTContext &Context, const BoundFunction &F) {
  if (llvm::none_of(F.Parameters, [](const Parameter &P) { return P.Converts; }))
    return {};
  llvm::SmallVector<QualType, 8> Types;
  for (const Parameter &P : F.Parameters)
    Types.push_back(P.Converts ? scalarType(Context, P.Element.Dtype) : P.Decl->getType().getUnqualifiedType());
  return Context.getFunctionType(F.Decl->getReturnType(), Types, FunctionProtoType::ExtProtoInfo());
}

} // namespace

QualType kernix::thunkType(AstBuilder &B, const BoundFunction &Bound) {
  auto *F = const_cast<FunctionDecl *>(Bound.Decl);
  QualType Given = givenType(B.Context, Bound);
  QualType Type = Given.isNull() ? F->getType() : Given;
  return B.detailClass(Given.isNull() ? "Thunk" : "ConvertingThunk", {Type}, {B.address(F)});
}

namespace {

FunctionDecl *thunkMember(AstBuilder &B, const BoundFunction &Bound) {
  return B.memberFunction(thunkType(B, Bound), "call");
}

/// void *const *
QualType argumentsType(ASTContext &Context) { return Context.getPointerType(Context.VoidPtrTy.withConst()); }

} // namespace

Expr *kernix::callThunk(AstBuilder &B, const BoundFunction &F) {
  if (F.Kind == KERNIX_HOST_FUNCTION) {
    FunctionDecl *Member = thunkMember(B, F);
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
  FunctionDecl *Member = thunkMember(B, F);
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
