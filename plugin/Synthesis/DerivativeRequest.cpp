//===- DerivativeRequest.cpp - asking the LLVM half for one derivative ------------------------------------------===//

#include "Synthesis/DerivativeRequest.h"
#include "HandOver.h"
#include "Synthesis/DerivativeJson.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

class Requester {
public:
  Requester(AstBuilder &B, const BoundFunction &F) : B(B), Context(B.Context), F(F) {
    Hash = llvm::utohexstr(llvm::xxh3_64bits(F.MangledName), /*LowerCase=*/true);
  }

  FunctionDecl *request(AttributeStore &Store, kernix_derivative Mode, VarDecl *Facts) {
    // Asked for before, by code or by a record.
    std::string Name = (Mode == KERNIX_FORWARD_DERIVATIVE ? "kernix_forward_" : "kernix_reverse_") + Hash;
    if (FunctionDecl *Known = B.findFunction(Name))
      return Known;
    FunctionDecl *Primal = makePrimal();
    return Primal ? makePlaceholder(Name, Primal, Facts, derivativeJson(B.S, Store, F, Mode)) : nullptr;
  }

  /// [*result =] f(*p1, ..., *pn); one for both modes.
  FunctionDecl *makePrimal() {
    std::string Name = "kernix_primal_" + Hash;
    if (auto *Known = B.findFunction(Name))
      return Known;
    llvm::SmallVector<QualType, 8> Types;
    for (const Parameter &P : F.Parameters)
      Types.push_back(Context.getPointerType(referred(P)));
    if (hasResult())
      Types.push_back(resultPointer());
    return B.function(Name, Context.VoidTy, Types, B.ownOptions(), [&](llvm::ArrayRef<ParmVarDecl *> P) -> Expr * {
      llvm::SmallVector<Expr *, 8> Arguments;
      for (size_t I = 0; I < F.Parameters.size(); ++I) {
        QualType Type = F.Parameters[I].Decl->getType();
        Expr *Value = B.dereference(P[I]);
        if (F.Kind == KERNIX_KERNEL)
          Value = B.argument(Type, Value);
        else if (Type->isRValueReferenceType())
          Value = B.cast(Type, Value);
        if (!Value)
          return nullptr;
        Arguments.push_back(Value);
      }
      Expr *Call = F.Kind == KERNIX_KERNEL ? callOfKernel(Arguments) : B.callWithObject(function(), Arguments);
      return Call && hasResult() ? B.assign(B.dereference(P.back()), Call) : Call;
    });
  }

private:
  AstBuilder &B;
  ASTContext &Context;
  const BoundFunction &F;
  std::string Hash;

  bool hasResult() const { return F.Result.Passing != KERNIX_PASS_VOID; }
  QualType resultPointer() const { return Context.getPointerType(F.Decl->getReturnType().getUnqualifiedType()); }
  static QualType referred(const Parameter &P) { return P.Decl->getType().getNonReferenceType(); }

  FunctionDecl *function() const {
    auto *Function = const_cast<FunctionDecl *>(F.Decl);
    Function->setReferenced();
    B.S.MarkFunctionReferenced(B.Loc, Function);
    return Function;
  }

  /// Sema has no call of a kernel without a launch configuration. The LLVM half inlines it before anything looks at
  /// calling conventions.
  Expr *callOfKernel(llvm::ArrayRef<Expr *> Arguments) {
    return CallExpr::Create(Context, B.decayed(function()), Arguments, Context.VoidTy, VK_PRValue, B.Loc,
                            FPOptionsOverride());
  }

  /// Its body calls what does not exist: where the LLVM half does not run, a gradient is a link error, never a zero.
  FunctionDecl *makePlaceholder(const std::string &Name, FunctionDecl *Primal, VarDecl *Facts,
                                const std::string &Description) {
    llvm::SmallVector<QualType, 16> Types;
    for (const Parameter &P : F.Parameters) {
      Types.push_back(Context.getPointerType(referred(P)));
      Types.push_back(Context.getPointerType(Context.VoidTy.withConst()));
    }
    if (hasResult())
      Types.append({resultPointer(), Context.getPointerType(Context.VoidTy.withConst())});
    AstBuilder::FunctionOptions Options = B.ownOptions();
    PresumedLoc Where = B.S.getSourceManager().getPresumedLoc(B.S.getSourceManager().getExpansionLoc(F.Location));
    Expr *Arguments[] = {B.decayed(Primal),          Facts ? B.address(Facts) : B.asVoidPointer(B.null()),
                         B.string(Description),      B.string(Where.getFilename()),
                         B.integer(Where.getLine()), B.integer(Where.getColumn())};
    Options.Annotation = DeriveAnnotation;
    Options.AnnotationArguments = Arguments;
    FunctionDecl *Missing = B.declaration("kernix_derivative_was_not_made", Context.VoidTy, {}, Options.Device);
    return B.function(Name, Context.VoidTy, Types, Options, [&](llvm::ArrayRef<ParmVarDecl *> P) {
      // The call also makes clang emit the primal: an annotation alone would not.
      llvm::SmallVector<Expr *, 8> Values;
      for (size_t I = 0; I < P.size(); I += 2)
        Values.push_back(B.reference(P[I]));
      return B.sequence(B.call(Primal, Values), B.call(Missing, {}));
    });
  }
};

} // namespace

FunctionDecl *kernix::requestDerivative(AstBuilder &B, AttributeStore &Store, const BoundFunction &F,
                                        kernix_derivative Mode, VarDecl *Facts) {
  return Requester(B, F).request(Store, Mode, Facts);
}

FunctionDecl *kernix::primalByAddress(AstBuilder &B, const BoundFunction &F) { return Requester(B, F).makePrimal(); }
