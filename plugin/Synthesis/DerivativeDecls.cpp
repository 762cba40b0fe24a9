//===- DerivativeDecls.cpp - f_fwd and f_bwd --------------------------------------------------------------------===//

#include "Synthesis/DerivativeDecls.h"
#include "Binding/Leaves.h"
#include "Binding/Operations.h"
#include "Binding/Roles.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/DerivativeBody.h"
#include "Synthesis/DerivativeDeclaration.h"
#include "Synthesis/DerivativeRecord.h"
#include "Synthesis/Descriptor.h"
#include "Synthesis/FindLaunch.h"
#include "Synthesis/HandWrittenRecord.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

class DerivativeMaker {
public:
  DerivativeMaker(Sema &S, AttributeStore &Store, CustomDerivatives &Custom, const DerivativeNames &Names,
                  Bindings &Result)
      : S(S), Context(S.getASTContext()), Store(Store), Custom(Custom), Names(Names), Result(Result) {}

  bool make(BoundFunction &F) {
    return (!F.WantsForward || make(F, KERNIX_FORWARD_DERIVATIVE)) &&
           (!F.WantsBackward || make(F, KERNIX_BACKWARD_DERIVATIVE));
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  CustomDerivatives &Custom;
  const DerivativeNames &Names;
  Bindings &Result;

  bool make(BoundFunction &F, kernix_derivative Mode) {
    AstBuilder B(S, F.Location);
    std::optional<std::vector<DerivativeParameter>> Parameters = derivativeParameters(S, F, Mode);
    if (!Parameters)
      return false;
    bool Failed = false;
    if (FunctionDecl *Named = Custom.namedFor(F, Mode, *Parameters, Failed)) {
      std::optional<BoundFunction> Record =
          handWrittenRecord(S, Store, Names.skippedCode(), F, Mode, Named, *Parameters);
      if (!Record)
        return false;
      add(F, Mode, std::move(*Record));
      return true;
    }
    if (Failed || !checkIsAutomatic(F, Mode))
      return false;
    FunctionDecl *Decl = declareDerivative(S, F, Mode, *Parameters, Names.declared(F.Decl, Mode));
    if (!Decl)
      return false;
    BoundFunction Record = derivativeRecord(F, Mode, Decl, *Parameters);
    Record.FollowsRules = Custom.hasUsers();
    Record.WantsForward = Record.WantsBackward = F.Order == 2 && Mode == KERNIX_BACKWARD_DERIVATIVE;
    if (F.Kind == KERNIX_KERNEL && !(Record.Facts = declareFacts(B, Record)))
      return false;
    if (!define(B, F, Mode, Record, *Parameters))
      return false;
    if (Record.isDifferentiable()) {
      if (!checkHasSecond(F))
        return false;
      BoundFunction Primal = asPrimal(Record);
      if (!make(Primal))
        return false;
      Record.Forward = Primal.Forward;
      Record.Backward = Primal.Backward;
    }
    add(F, Mode, std::move(Record));
    return true;
  }

  void add(BoundFunction &F, kernix_derivative Mode, BoundFunction Record) {
    assignResult(S, Record.Decl, Record.Result);
    (Mode == KERNIX_FORWARD_DERIVATIVE ? F.Forward : F.Backward) = Record.Name;
    Result.Functions.push_back(std::move(Record));
  }

  /// `__device__ kernix_launch_facts kernix_launch_facts_<hash> = {record hash, 0...};`, with a handle in the host
  /// pass.
  VarDecl *declareFacts(AstBuilder &B, const BoundFunction &Derivative) {
    QualType Type = B.abiType("kernix_launch_facts");
    if (Type.isNull())
      return nullptr;
    std::string Hash = llvm::utohexstr(llvm::xxh3_64bits(Derivative.MangledName), /*LowerCase=*/true);
    Expr *RecordHash =
        IntegerLiteral::Create(Context, llvm::APInt(64, Derivative.hash()), Context.UnsignedLongTy, B.Loc);
    // All fields, or -Wextra says which are missing.
    SmallVector<Expr *> Fields{RecordHash};
    const RecordDecl *Facts = Type->getAsRecordDecl();
    while (Fields.size() != static_cast<size_t>(std::distance(Facts->field_begin(), Facts->field_end())))
      Fields.push_back(B.integer(0));
    AstBuilder::VariableOptions Options;
    Options.Device = true;
    Options.Hidden = false; // the CUDA runtime looks for it by name
    return B.variable("kernix_launch_facts_" + Hash, Type, B.list(Fields), Options);
  }

  /// What can be derived from a body at all.
  bool checkIsAutomatic(const BoundFunction &F, kernix_derivative Mode) {
    const char *Remedy = "name a derivative that you write with [[kernix::%0_derivative(...)]]";
    for (const Parameter &P : F.Parameters)
      if (P.Differentiable && P.Passing == KERNIX_PASS_TENSOR) {
        Diagnostics(S).error(P.Decl->getLocation(),
                             "'%0' has its element type only at run time, and a derivative needs it")
            << P.Name;
        Diagnostics(S).note(P.Decl->getLocation(), "use kernix::TensorView<T>, mark it [[kernix::no_diff]], or name a "
                                                   "derivative that you write with [[kernix::%0_derivative(...)]]")
            << modeName(Mode);
        return false;
      }
    for (const Parameter &P : F.Parameters)
      if (P.Differentiable && P.IsDiffView && F.Kind == KERNIX_HOST_FUNCTION) {
        Diagnostics(S).error(P.Decl->getLocation(),
                             "'%0' is a differentiable view, whose derivatives are for device code, in a host function")
            << P.Name;
        Diagnostics(S).note(F.Location, Remedy) << modeName(Mode);
        return false;
      }
    if (SourceLocation Launch = F.Kind == KERNIX_HOST_FUNCTION ? findLaunch(F.Decl) : SourceLocation();
        Launch.isValid()) {
      Diagnostics(S).error(Launch, "%0 launches a kernel and cannot be differentiated") << F.Decl;
      Diagnostics(S).note(F.Location, Remedy) << modeName(Mode);
      return false;
    }
    return true;
  }

  /// What rules for views do with gradients has no derivative itself.
  bool checkHasSecond(const BoundFunction &F) {
    for (const Parameter &P : F.Parameters)
      if (P.IsDiffView && (P.Differentiable || P.NoDiff)) { // not one of integers
        Diagnostics(S).error(P.Decl->getLocation(),
                             "'%0' is a differentiable view, whose gradient has no derivative; use "
                             "kernix::TensorView<T> for second derivatives")
            << P.Name;
        return false;
      }
    // Its gradient is an array of such structs.
    for (const Parameter &P : F.Parameters) {
      QualType Type = P.Decl->getType().getNonReferenceType();
      if (F.Kind != KERNIX_KERNEL || !P.Differentiable || P.Passing != KERNIX_PASS_STRUCT ||
          !elementLeafType(Context, Type).empty())
        continue;
      Diagnostics(S).error(P.Decl->getLocation(),
                           "'%0' of type '%1' has fields of several types, and its gradient has no derivative")
          << P.Name << P.Type;
      Diagnostics(S).note(P.Decl->getLocation(), "give its fields as parameters of their own, or mark it "
                                                 "[[kernix::no_diff]]; first derivatives have it without that");
      return false;
    }
    return true;
  }

  bool define(AstBuilder &B, const BoundFunction &F, kernix_derivative Mode, const BoundFunction &Record,
              llvm::ArrayRef<DerivativeParameter> Parameters) {
    auto *Decl = const_cast<FunctionDecl *>(Record.Decl);
    Decl->setWillHaveBody(false);
    // The host pass makes a stub of a kernel and has no use for its body.
    if (F.Kind == KERNIX_KERNEL && !S.getLangOpts().CUDAIsDevice) {
      Decl->setBody(CompoundStmt::CreateEmpty(Context, 0, false));
      B.emit(Decl);
      return true;
    }
    return !hasBodyInThisPass(S, *F.Decl) || defineDerivative(B, Store, F, Mode, Decl, Parameters, Record.Facts);
  }
};

} // namespace

void kernix::synthesizeDerivatives(Sema &S, AttributeStore &Store, CustomDerivatives &Custom,
                                   const DerivativeNames &Names, Bindings &Bindings, bool PassesDisabled) {
  DerivativeMaker Maker(S, Store, Custom, Names, Bindings);
  bool Any = false;
  for (size_t I = 0, Count = Bindings.Functions.size(); I < Count; ++I) { // it grows
    BoundFunction &F = Bindings.Functions[I];
    if (!F.isDifferentiable())
      continue;
    Any = true;
    if (PassesDisabled) {
      refuseWithoutPasses(S, F.Location);
      return;
    }
    if (!Maker.make(F))
      return;
  }
  if (!Any)
    return;
  Bindings.Operations.clear();
  groupOperations(S, Bindings);
}
