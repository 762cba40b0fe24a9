//===- DerivativeDecls.cpp - asking the LLVM half for derivatives -----------------------------------------------===//

#include "Synthesis/DerivativeDecls.h"
#include "Diagnostics/Diagnostics.h"
#include "HandOver.h"
#include "Synthesis/AstBuilder.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

bool hasBodyInThisPass(Sema &S, const BoundFunction &F) {
  bool IsDevicePass = S.getLangOpts().CUDAIsDevice;
  return IsDevicePass ? F.Kind != KERNIX_HOST_FUNCTION : F.Kind == KERNIX_HOST_FUNCTION;
}

void request(Sema &S, const BoundFunction &F) {
  AstBuilder B(S, F.Location);
  std::string Name = "__kernix_derivatives_" + llvm::utohexstr(llvm::xxh3_64bits(F.MangledName), /*LowerCase=*/true);
  QualType Type = B.Context.getFunctionType(B.Context.VoidTy, {}, FunctionProtoType::ExtProtoInfo());
  TranslationUnitDecl *Scope = B.Context.getTranslationUnitDecl();
  FunctionDecl *Placeholder =
      FunctionDecl::Create(B.Context, Scope, B.Loc, B.Loc, DeclarationName(&B.Context.Idents.get(Name)), Type,
                           B.Context.getTrivialTypeSourceInfo(Type, B.Loc), SC_Static);
  Placeholder->setImplicit();
  if (F.Kind != KERNIX_HOST_FUNCTION)
    Placeholder->addAttr(CUDADeviceAttr::CreateImplicit(B.Context));
  PresumedLoc Where = S.getSourceManager().getPresumedLoc(S.getSourceManager().getExpansionLoc(F.Location));
  auto *Primal = const_cast<FunctionDecl *>(F.Decl);
  Primal->setReferenced();
  S.MarkFunctionReferenced(B.Loc, Primal);
  Expr *Address =
      ImplicitCastExpr::Create(B.Context, B.Context.getPointerType(Primal->getType()), CK_FunctionToPointerDecay,
                               B.reference(Primal), nullptr, VK_PRValue, FPOptionsOverride());
  llvm::SmallVector<Expr *, 4> Arguments = {Address, B.string(Where.getFilename()), B.integer(Where.getLine()),
                                            B.integer(Where.getColumn())};
  // CodeGen wants constant expressions.
  for (Expr *&Argument : llvm::drop_begin(Arguments)) {
    ExprResult Converted = S.DefaultFunctionArrayLvalueConversion(Argument);
    Expr::EvalResult Value;
    Argument = Converted.get();
    if (Argument->EvaluateAsRValue(Value, B.Context))
      Argument = ConstantExpr::Create(B.Context, Argument, Value.Val);
  }
  {
    Expr::EvalResult Value;
    if (Arguments[0]->EvaluateAsRValue(Value, B.Context))
      Arguments[0] = ConstantExpr::Create(B.Context, Arguments[0], Value.Val);
  }
  Placeholder->addAttr(AnnotateAttr::CreateImplicit(B.Context, DifferentiateAnnotation, Arguments.data(),
                                                    static_cast<unsigned>(Arguments.size())));
  Placeholder->addAttr(UsedAttr::CreateImplicit(B.Context));
  Scope->addDecl(Placeholder);
  Placeholder->setBody(CompoundStmt::CreateEmpty(B.Context, 0, false));
  B.emit(Placeholder);
}

} // namespace

void kernix::requestDerivatives(Sema &S, const Bindings &Bindings, bool PassesDisabled) {
  for (const BoundFunction &F : Bindings.Functions) {
    if (!F.Differentiable || !hasBodyInThisPass(S, F))
      continue;
    if (PassesDisabled) {
      Diagnostics(S).error(F.Location,
                           "kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with "
                           "-save-temps or -disable-llvm-passes");
      return;
    }
    request(S, F);
  }
}
