//===- RuleThunks.cpp - handing a derivative that is written by hand to the LLVM half ---------------------------===//

#include "Synthesis/RuleThunks.h"
#include "HandOver.h"
#include "Synthesis/DerivativeRequest.h"
#include "Synthesis/RuleJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

class RuleHelpers {
public:
  RuleHelpers(AstBuilder &B, const BoundFunction &F, FunctionDecl *Rule, kernix_derivative Mode,
              llvm::ArrayRef<DerivativeParameter> Parameters)
      : B(B), Context(B.Context), F(F), Rule(Rule), Mode(Mode), Parameters(Parameters),
        Hash(llvm::utohexstr(llvm::xxh3_64bits(F.MangledName), /*LowerCase=*/true)) {}

  bool make() {
    auto *Function = const_cast<FunctionDecl *>(F.Decl);
    for (FunctionDecl *Each : {Function, Rule}) {
      Each->setReferenced();
      B.S.MarkFunctionReferenced(B.Loc, Each);
    }
    FunctionDecl *Marker = makeMarker(), *Stub = makeStub(Marker), *Primal = primalByAddress(B, F),
                 *Thunk = makeThunk();
    if (!Stub || !Primal || !Thunk)
      return false;
    // The addresses also make clang emit the helpers: an annotation alone would not.
    Expr *Arguments[] = {B.decayed(Function), B.decayed(Stub),  B.decayed(Marker),
                         B.decayed(Primal),   B.decayed(Thunk), B.string(ruleJson(B.S, F, *Rule, Mode, Parameters))};
    AstBuilder::FunctionOptions Options = B.ownOptions();
    Options.Used = true;
    Options.Annotation = RuleAnnotation;
    Options.AnnotationArguments = Arguments;
    QualType Pointer = Context.getPointerType(Context.VoidTy.withConst());
    QualType Types[] = {Context.getPointerType(Pointer)};
    return B.function("kernix_rule_" + modeName(Mode).str() + "_" + Hash, Context.VoidTy, Types, Options,
                      [&](llvm::ArrayRef<ParmVarDecl *> P) {
                        Expr *All = nullptr;
                        for (FunctionDecl *Each : {Stub, Primal, Thunk}) {
                          Expr *Store = B.assign(B.dereference(P[0]), B.cast(Pointer, B.decayed(Each)));
                          All = All ? B.sequence(All, Store) : Store;
                        }
                        return All;
                      }) != nullptr;
  }

private:
  AstBuilder &B;
  ASTContext &Context;
  const BoundFunction &F;
  FunctionDecl *Rule;
  kernix_derivative Mode;
  llvm::ArrayRef<DerivativeParameter> Parameters;
  std::string Hash;

  QualType result() const { return F.Decl->getReturnType().getUnqualifiedType(); }
  static QualType referred(const Parameter &P) { return P.Decl->getType().getNonReferenceType(); }

  /// One for both modes.
  FunctionDecl *makeMarker() {
    std::string Name = "kernix_rule_marker_" + Hash;
    if (FunctionDecl *Known = B.findFunction(Name))
      return Known;
    llvm::SmallVector<QualType, 8> Types;
    for (const Parameter &P : F.Parameters)
      Types.push_back(Context.getPointerType(referred(P)));
    QualType Result = result()->isVoidType() ? Context.VoidTy : Context.getPointerType(result());
    return B.declaration(Name, Result, Types, B.S.getLangOpts().CUDAIsDevice);
  }

  FunctionDecl *makeStub(FunctionDecl *Marker) {
    std::string Name = "kernix_rule_stub_" + Hash;
    if (FunctionDecl *Known = B.findFunction(Name))
      return Known;
    llvm::SmallVector<QualType, 8> Types;
    for (const Parameter &P : F.Parameters)
      Types.push_back(P.Decl->getType());
    return B.function(Name, F.Decl->getReturnType(), Types, B.ownOptions(), [&](llvm::ArrayRef<ParmVarDecl *> P) {
      llvm::SmallVector<Expr *, 8> Arguments;
      for (ParmVarDecl *Each : P)
        Arguments.push_back(B.address(Each));
      Expr *Call = B.call(Marker, Arguments);
      return result()->isVoidType() ? Call : B.dereference(Call);
    });
  }

  FunctionDecl *makeThunk() {
    QualType Shadow = Context.getPointerType(Context.VoidTy.withConst());
    llvm::SmallVector<QualType, 16> Types;
    for (const Parameter &P : F.Parameters)
      Types.append({Context.getPointerType(referred(P)), Shadow});
    QualType Returned = Rule->getReturnType().getUnqualifiedType();
    bool HasCotangent = !Parameters.empty() && Parameters.back().Primal < 0;
    if (!Returned->isVoidType())
      Types.push_back(Context.getPointerType(Returned));
    else if (HasCotangent)
      Types.push_back(Context.getPointerType(Parameters.back().Type));
    std::string Name = "kernix_rule_thunk_" + modeName(Mode).str() + "_" + Hash;
    return B.function(Name, Context.VoidTy, Types, B.ownOptions(), [&](llvm::ArrayRef<ParmVarDecl *> P) -> Expr * {
      Expr *Call = callRule(P);
      return Call && !Returned->isVoidType() ? B.assign(B.dereference(P.back()), Call) : Call;
    });
  }

  Expr *callRule(llvm::ArrayRef<ParmVarDecl *> P) {
    bool IsMember = isa<CXXMethodDecl>(Rule) && cast<CXXMethodDecl>(Rule)->isInstance();
    llvm::SmallVector<Expr *, 16> Arguments;
    for (const DerivativeParameter &Each : Parameters) {
      Expr *Value = nullptr;
      if (Each.Primal < 0)
        Value = B.dereference(P.back());
      else if (Each.IsShadow && IsMember && Each.Primal == 0)
        continue;
      else if (Each.IsShadow)
        Value = shadow(Each, P[2 * static_cast<size_t>(Each.Primal) + 1]);
      else
        Value = parameter(Each, P[2 * static_cast<size_t>(Each.Primal)]);
      if (!Value)
        return nullptr;
      Arguments.push_back(Value);
    }
    return B.callWithObject(Rule, Arguments);
  }

  Expr *parameter(const DerivativeParameter &P, ParmVarDecl *Place) {
    Expr *Value = B.dereference(Place);
    return P.Type->isRValueReferenceType() ? B.cast(P.Type, Value) : Value;
  }

  Expr *shadow(const DerivativeParameter &P, ParmVarDecl *Place) {
    QualType Type = P.Type.getUnqualifiedType();
    RuleSlot Slot = ruleSlot(F.Parameters[static_cast<size_t>(P.Primal)], /*HasSlot=*/true);
    bool IsAddress = Slot == RuleSlot::Memory || (Slot == RuleSlot::Value && Mode == KERNIX_BACKWARD_DERIVATIVE);
    if (IsAddress)
      return B.cast(Type, B.reference(Place));
    return B.dereference(B.cast(Context.getPointerType(Type), B.reference(Place)));
  }
};

} // namespace

bool kernix::handOverRule(AstBuilder &B, const BoundFunction &F, FunctionDecl *Rule, kernix_derivative Mode,
                          llvm::ArrayRef<DerivativeParameter> Parameters) {
  return RuleHelpers(B, F, Rule, Mode, Parameters).make();
}
