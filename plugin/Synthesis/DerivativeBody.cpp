//===- DerivativeBody.cpp - the body of a derivative ------------------------------------------------------------===//

#include "Synthesis/DerivativeBody.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/DerivativeRequest.h"

using namespace clang;
using namespace kernix;

namespace {

class BodyWriter {
public:
  BodyWriter(AstBuilder &B, const BoundFunction &F, kernix_derivative Mode, FunctionDecl *Filled,
             llvm::ArrayRef<DerivativeParameter> Parameters)
      : B(B), F(F), IsForward(Mode == KERNIX_FORWARD_DERIVATIVE), Filled(Filled), Parameters(Parameters) {}

  bool write(FunctionDecl *Decl) {
    if (F.Result.Passing == KERNIX_PASS_VOID)
      return B.define(Decl, [&](llvm::ArrayRef<ParmVarDecl *> P) { return B.call(Filled, addresses(P)); });
    QualType Result = F.Decl->getReturnType().getUnqualifiedType();
    bool IsDual = IsForward && !B.Context.hasSameType(Decl->getReturnType(), Result);
    // f_bwd has no use for f's result, but the primal writes it.
    QualType Local = IsForward ? Decl->getReturnType() : Result;
    return B.defineWithLocal(Decl, Local, IsForward, [&](llvm::ArrayRef<ParmVarDecl *> P, VarDecl *Local) -> Expr * {
      llvm::SmallVector<Expr *, 16> Arguments = addresses(P);
      Arguments.push_back(IsDual ? B.addressOfMember(Local, "value") : B.address(Local));
      Arguments.push_back(!F.Result.Differentiable ? B.null()
                          : IsForward              ? B.addressOfMember(Local, "tangent")
                                                   : B.address(P.back()));
      Expr *Call = B.call(Filled, Arguments);
      // No derivative writes the integers in the tangent of a struct.
      bool HasRest = IsDual && F.Result.Differentiable && Result->isRecordType();
      return HasRest ? B.sequence(B.zero(B.addressOfMember(Local, "tangent"), Result), Call) : Call;
    });
  }

private:
  AstBuilder &B;
  const BoundFunction &F;
  bool IsForward;
  FunctionDecl *Filled;
  llvm::ArrayRef<DerivativeParameter> Parameters;

  llvm::SmallVector<Expr *, 16> addresses(llvm::ArrayRef<ParmVarDecl *> P) {
    llvm::SmallVector<Expr *, 16> Arguments;
    size_t Next = 0; // of P
    for (size_t I = 0; I < Parameters.size(); ++I) {
      if (Parameters[I].Primal < 0)
        continue; // the cotangent of the result
      Arguments.push_back(B.address(P[Next++]));
      bool HasShadow = I + 1 < Parameters.size() && Parameters[I + 1].IsShadow && Parameters[I + 1].Primal >= 0;
      if (HasShadow)
        ++I;
      // What a view brings along it uses itself.
      ParmVarDecl *Shadow = HasShadow && !Parameters[I].IsCarried ? P[Next++] : nullptr;
      Arguments.push_back(Shadow && Parameters[I].IsActive ? shadowAddress(Parameters[I], Shadow) : B.null());
    }
    return Arguments;
  }

  /// Of a pointer or view, the shadow parameter; of a value, its gradient or tangent itself.
  Expr *shadowAddress(const DerivativeParameter &Shadow, ParmVarDecl *P) {
    bool IsTensor = F.Parameters[static_cast<size_t>(Shadow.Primal)].isTensor();
    return !IsTensor && Shadow.Type->isPointerType() ? B.reference(P) : B.address(P);
  }
};

} // namespace

bool kernix::hasBodyInThisPass(Sema &S, const FunctionDecl &F) {
  if (!S.getLangOpts().CUDAIsDevice)
    return F.hasAttr<CUDAHostAttr>() || (!F.hasAttr<CUDADeviceAttr>() && !F.hasAttr<CUDAGlobalAttr>());
  return F.hasAttr<CUDADeviceAttr>() || F.hasAttr<CUDAGlobalAttr>();
}

bool kernix::defineDerivative(AstBuilder &B, AttributeStore &Store, const BoundFunction &F, kernix_derivative Mode,
                              FunctionDecl *Decl, llvm::ArrayRef<DerivativeParameter> Parameters, VarDecl *Facts) {
  FunctionDecl *Filled = requestDerivative(B, Store, F, Mode, Facts);
  return Filled && BodyWriter(B, F, Mode, Filled, Parameters).write(Decl);
}

void kernix::refuseWithoutPasses(Sema &S, SourceLocation Loc) {
  Diagnostics(S).error(Loc,
                       "kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with "
                       "-save-temps or -disable-llvm-passes; to see what is compiled, use -E, -S or -S -emit-llvm");
}
