//===- DerivativeDecls.cpp - f_fwd and f_bwd --------------------------------------------------------------------===//

#include "Synthesis/DerivativeDecls.h"
#include "Binding/Operations.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/DerivativeBody.h"
#include "Synthesis/DerivativeRecord.h"
#include "Synthesis/Descriptor.h"
#include "Synthesis/FindLaunch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

class DerivativeMaker {
public:
  DerivativeMaker(Sema &S, AttributeStore &Store, CustomDerivatives &Custom, Bindings &Result)
      : S(S), Context(S.getASTContext()), Store(Store), Custom(Custom), Result(Result) {}

  bool make(BoundFunction &F) {
    return (!F.WantsForward || make(F, KERNIX_FORWARD_DERIVATIVE)) &&
           (!F.WantsBackward || make(F, KERNIX_BACKWARD_DERIVATIVE));
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  CustomDerivatives &Custom;
  Bindings &Result;

  bool make(BoundFunction &F, kernix_derivative Mode) {
    AstBuilder B(S, F.Location);
    std::optional<std::vector<DerivativeParameter>> Parameters = derivativeParameters(S, F, Mode);
    if (!Parameters)
      return false;
    bool Failed = false;
    if (FunctionDecl *Named = Custom.namedFor(F, Mode, *Parameters, Failed)) {
      add(F, Mode, derivativeRecord(F, Mode, Named, *Parameters));
      return true;
    }
    if (Failed || !checkIsAutomatic(F, Mode))
      return false;
    FunctionDecl *Decl = declare(F, Mode, *Parameters);
    if (!Decl)
      return false;
    BoundFunction Record = derivativeRecord(F, Mode, Decl, *Parameters);
    if (F.Kind == KERNIX_KERNEL && !(Record.Facts = declareFacts(B, Record)))
      return false;
    if (!define(B, F, Mode, Record, *Parameters))
      return false;
    add(F, Mode, std::move(Record));
    return true;
  }

  void add(BoundFunction &F, kernix_derivative Mode, BoundFunction Record) {
    (Mode == KERNIX_FORWARD_DERIVATIVE ? F.Forward : F.Backward) = Record.Name;
    Result.Functions.push_back(std::move(Record));
  }

  /// The name of a derivative in C++. Instances of a template would differ in nothing but their parameters, and maybe
  /// not in those.
  static std::string declaredName(const BoundFunction &F, kernix_derivative Mode) {
    std::string Name = F.Decl->getNameAsString() + suffix(Mode).str();
    if (F.Decl->getTemplateSpecializationArgs())
      Name += "_" + llvm::utohexstr(llvm::xxh3_64bits(F.MangledName), /*LowerCase=*/true);
    return Name;
  }

  FunctionDecl *declare(const BoundFunction &F, kernix_derivative Mode,
                        llvm::ArrayRef<DerivativeParameter> Parameters) {
    SourceLocation Loc = F.Location;
    auto *Scope = const_cast<DeclContext *>(F.Decl->getDeclContext());
    llvm::SmallVector<QualType, 16> Types;
    for (const DerivativeParameter &P : Parameters)
      Types.push_back(P.Type);
    QualType ResultType = derivativeResult(S, F, Mode);
    if (ResultType.isNull())
      return nullptr;
    QualType Type = Context.getFunctionType(ResultType, Types, FunctionProtoType::ExtProtoInfo());
    DeclarationName Name(&Context.Idents.get(declaredName(F, Mode)));
    if (!checkNameIsFree(F, Scope, Name, Type, Mode))
      return nullptr;
    FunctionDecl *Decl = FunctionDecl::Create(Context, Scope, Loc, Loc, Name, Type,
                                              Context.getTrivialTypeSourceInfo(Type, Loc), F.Decl->getStorageClass());
    Decl->setImplicit();
    if (F.Decl->isInlined())
      Decl->setImplicitlyInline();
    llvm::SmallVector<ParmVarDecl *, 16> Declared;
    for (const DerivativeParameter &P : Parameters) {
      auto *Parameter = ParmVarDecl::Create(Context, Decl, Loc, Loc, &Context.Idents.get(P.Name), P.Type,
                                            Context.getTrivialTypeSourceInfo(P.Type, Loc), SC_None, nullptr);
      Parameter->setScopeInfo(0, static_cast<unsigned>(Declared.size()));
      Parameter->setIsUsed();
      Declared.push_back(Parameter);
    }
    Decl->setParams(Declared);
    copyAttributes(F, *Decl);
    Scope->addDecl(Decl);
    return Decl;
  }

  void copyAttributes(const BoundFunction &F, FunctionDecl &Decl) {
    if (F.Decl->hasAttr<CUDAGlobalAttr>())
      Decl.addAttr(CUDAGlobalAttr::CreateImplicit(Context));
    if (F.Decl->hasAttr<CUDADeviceAttr>())
      Decl.addAttr(CUDADeviceAttr::CreateImplicit(Context));
    if (F.Decl->hasAttr<CUDAHostAttr>())
      Decl.addAttr(CUDAHostAttr::CreateImplicit(Context));
    // How many blocks fit on a multiprocessor says nothing about a derivative, how many threads there are at most does.
    if (const auto *Bounds = F.Decl->getAttr<CUDALaunchBoundsAttr>())
      Decl.addAttr(CUDALaunchBoundsAttr::CreateImplicit(Context, Bounds->getMaxThreads(), nullptr, nullptr));
    Decl.addAttr(UsedAttr::CreateImplicit(Context));
    Decl.setIsUsed();
  }

  bool checkNameIsFree(const BoundFunction &F, DeclContext *Scope, DeclarationName Name, QualType Type,
                       kernix_derivative Mode) {
    for (const NamedDecl *Other : Scope->getRedeclContext()->lookup(Name)) {
      const auto *Function = dyn_cast<FunctionDecl>(Other);
      if (Function && !Context.hasSameType(Function->getType(), Type))
        continue; // an overload
      Diagnostics(S).error(F.Location, "%0 is declared for the %1 derivative of %2, but there is such a declaration")
          << Name << modeName(Mode) << F.Decl;
      Diagnostics(S).note(Other->getLocation(), "declared here; give it another name, or name it as the derivative "
                                                "with [[kernix::%0_derivative(%1)]]")
          << modeName(Mode) << Name;
      return false;
    }
    return true;
  }

  /// `__device__ kernix_launch_facts kernix_launch_facts_<hash> = {record hash};`, with a handle in the host pass.
  VarDecl *declareFacts(AstBuilder &B, const BoundFunction &Derivative) {
    QualType Type = B.abiType("kernix_launch_facts");
    if (Type.isNull())
      return nullptr;
    std::string Hash = llvm::utohexstr(llvm::xxh3_64bits(Derivative.MangledName), /*LowerCase=*/true);
    Expr *RecordHash =
        IntegerLiteral::Create(Context, llvm::APInt(64, Derivative.hash()), Context.UnsignedLongTy, B.Loc);
    AstBuilder::VariableOptions Options;
    Options.Device = true;
    Options.Hidden = false; // the CUDA runtime looks for it by name
    return B.variable("kernix_launch_facts_" + Hash, Type, B.list({RecordHash}), Options);
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
    if (const Expr *Launch = F.Kind == KERNIX_HOST_FUNCTION ? findLaunch(F.Decl) : nullptr) {
      Diagnostics(S).error(Launch->getExprLoc(), "%0 launches a kernel and cannot be differentiated") << F.Decl;
      Diagnostics(S).note(F.Location, Remedy) << modeName(Mode);
      return false;
    }
    return true;
  }

  bool define(AstBuilder &B, const BoundFunction &F, kernix_derivative Mode, const BoundFunction &Record,
              llvm::ArrayRef<DerivativeParameter> Parameters) {
    auto *Decl = const_cast<FunctionDecl *>(Record.Decl);
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

void kernix::synthesizeDerivatives(Sema &S, AttributeStore &Store, CustomDerivatives &Custom, Bindings &Bindings,
                                   bool PassesDisabled) {
  DerivativeMaker Maker(S, Store, Custom, Bindings);
  bool Any = false;
  for (size_t I = 0; I < Bindings.Functions.size(); ++I) { // grows: derivatives may be differentiable too
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
