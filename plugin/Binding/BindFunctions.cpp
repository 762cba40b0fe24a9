//===- BindFunctions.cpp - from annotated declarations to records -----------------------------------------------===//

#include "Binding/BindFunctions.h"
#include "Binding/AttributeStrings.h"
#include "Binding/CheckUses.h"
#include "Binding/Defaults.h"
#include "Binding/DerivativeRoles.h"
#include "Binding/DiffViews.h"
#include "Binding/ExplicitArgSpec.h"
#include "Binding/Instantiate.h"
#include "Binding/Members.h"
#include "Binding/Operations.h"
#include "Binding/Roles.h"
#include "Binding/ThreadUses.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RawCommentList.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;
using namespace kernix;

namespace {

PrintingPolicy namePolicy(const Decl *D) {
  PrintingPolicy Policy(D->getASTContext().getPrintingPolicy());
  Policy.SuppressTagKeyword = true;
  Policy.SuppressUnwrittenScope = true;
  return Policy;
}

/// geo::area, without inline and anonymous namespaces.
std::string qualifiedName(const NamedDecl *D) {
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  D->printNestedNameSpecifier(OS, namePolicy(D));
  OS << D->getDeclName();
  return Name;
}

/// geo::area<float>
std::string qualifiedNameWithArguments(const FunctionDecl *F) {
  std::string Name = qualifiedName(F);
  llvm::raw_string_ostream OS(Name);
  if (const TemplateArgumentList *Arguments = F->getTemplateSpecializationArgs())
    printTemplateArgumentList(OS, Arguments->asArray(), namePolicy(F));
  return Name;
}

std::string mangledName(const FunctionDecl *F) {
  ASTContext &Context = F->getASTContext();
  std::unique_ptr<MangleContext> Mangler(Context.createMangleContext());
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(F)) {
    std::string Name;
    llvm::raw_string_ostream OS(Name);
    Mangler->mangleName(GlobalDecl(Constructor, Ctor_Complete), OS);
    return Name;
  }
  if (!Mangler->shouldMangleDeclName(F))
    return F->getNameAsString();
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  GlobalDecl Global = F->hasAttr<CUDAGlobalAttr>() ? GlobalDecl(F, KernelReferenceKind::Kernel) : GlobalDecl(F);
  Mangler->mangleName(Global, OS);
  return Name;
}

std::string signature(const BoundFunction &F) {
  PrintingPolicy Policy(F.Decl->getASTContext().getPrintingPolicy());
  Policy.SuppressTagKeyword = true;
  std::string Text = F.ShownName + "(";
  llvm::raw_string_ostream OS(Text);
  llvm::interleaveComma(llvm::make_filter_range(F.Parameters, [](const Parameter &P) { return !P.IsCarried; }), OS,
                        [&](const Parameter &P) { P.Decl->getOriginalType().print(OS, Policy, P.Name); });
  OS << ")";
  return Text;
}

class Binder {
public:
  Binder(Sema &S, AttributeStore &Store, const SkippedCode &Skipped, Bindings &Result)
      : S(S), Context(S.getASTContext()), Store(Store), Skipped(Skipped), Result(Result) {}

  void runFor(const FunctionDecl *F) {
    const DeclAttributes *A = Store.lookup(F);
    // Members that need an object have no derivatives.
    if (A && A->Bind && !F->isDependentContext() && !memberToWrap(F))
      bindFunction(F, *A->Bind);
  }

  void run() {
    // Instantiating adds declarations, not annotations: the list stays as it is.
    llvm::SmallVector<const Decl *, 16> Annotated(Store.annotated());
    for (const Decl *D : Annotated)
      instantiateTemplate(D);
    S.PerformPendingInstantiations();
    if (S.getDiagnostics().hasErrorOccurred())
      return;
    for (const Decl *D : Annotated)
      bindDeclaration(D);
    warnOfUnboundSpecializations();
    groupOperations(S, Result);
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  const SkippedCode &Skipped;
  Bindings &Result;
  std::set<std::pair<const FunctionDecl *, std::string>> Bound;
  /// Of bound templates, with the template's attribute.
  std::vector<std::pair<const FunctionDecl *, const BindAttribute *>> Specializations;

  void instantiateTemplate(const Decl *D) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    const DeclAttributes *A = F ? Store.lookup(F) : nullptr;
    if (A && A->Bind && A->Instantiate && F->getDescribedFunctionTemplate())
      instantiate(S, F->getDescribedFunctionTemplate(), *A->Instantiate);
  }

  void bindDeclaration(const Decl *D) {
    if (const auto *Variable = dyn_cast<VarDecl>(D)) {
      const DeclAttributes *A = Store.lookup(Variable);
      if (A && A->Bind)
        bindVariable(Variable, *A->Bind);
      return;
    }
    const auto *F = dyn_cast<FunctionDecl>(D);
    const DeclAttributes *A = F ? Store.lookup(F) : nullptr;
    if (!A || !A->Bind)
      return;
    if (FunctionTemplateDecl *Template = F->getDescribedFunctionTemplate()) {
      bindTemplate(Template, *A->Bind);
      return;
    }
    if (F->isDependentContext()) {
      refuseMember(F, *A->Bind);
      return;
    }
    bindFunction(F, *A->Bind);
  }

  void refuseMember(const FunctionDecl *F, const BindAttribute &Bind) {
    if (memberToWrap(F)) {
      Diagnostics(S).error(Bind.location(),
                           "%0 is a member of a class template and needs an object: bind a function that "
                           "takes the object and calls it")
          << F;
      return;
    }
    Diagnostics(S).error(Bind.location(), "%0 is a member of a class template; it is bound through a variable: "
                                          "[[kernix::bind]] constexpr auto name = &Class<Arguments>::%1;")
        << F << F->getNameAsString();
  }

  void bindTemplate(FunctionTemplateDecl *Template, const BindAttribute &Bind) {
    if (Template->getDeclContext()->isDependentContext())
      return refuseMember(Template->getTemplatedDecl(), Bind);
    bool Any = false;
    llvm::SmallVector<FunctionDecl *, 8> Instances(Template->specializations());
    for (FunctionDecl *Instance : Instances) {
      // A specialisation is another function: it says itself whether it is bound.
      if (Instance->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) {
        Specializations.emplace_back(Instance, &Bind);
        continue;
      }
      const FunctionDecl *Definition = nullptr;
      if (!Instance->isDefined(Definition) || Definition->isDependentContext())
        continue;
      Any = true;
      bindFunction(Instance, Bind);
    }
    if (!Any)
      Diagnostics(S).warning(WarningGroup::NoEffect, Bind.location(),
                             "%0 is bound but never instantiated in this file; name its types with "
                             "[[kernix::instantiate(\"float\", ...)]]")
          << Template;
  }

  /// Asked when everything is bound: an attribute of its own or a variable may bind a specialization.
  void warnOfUnboundSpecializations() {
    for (auto [F, Bind] : Specializations) {
      if (llvm::any_of(Bound, [&, F = F](const auto &Entry) { return declaresSameEntity(Entry.first, F); }))
        continue;
      Diagnostics(S).warning(WarningGroup::NoEffect, F->getLocation(),
                             "%0 is not bound: the attribute of its template does not hold for a specialization, which "
                             "says itself that it is bound: template <> [[kernix::bind]]")
          << F;
      Diagnostics(S).note(Bind->location(), "the template is bound here");
    }
  }

  void bindVariable(const VarDecl *Variable, const BindAttribute &Bind) {
    const APValue *Value = Variable->evaluateValue();
    const ValueDecl *Target = nullptr;
    if (Value && Value->isLValue())
      Target = Value->getLValueBase().dyn_cast<const ValueDecl *>();
    const auto *F = dyn_cast_or_null<FunctionDecl>(Target);
    if (!F) {
      Diagnostics(S).error(Variable->getLocation(), "%0 is bound but does not hold the address of a function")
          << Variable;
      return;
    }
    bindFunction(F, Bind, Variable);
  }

  /// A kernel or device function is bound where it is defined; elsewhere in a project its header's declaration is
  /// enough.
  bool isBoundElsewhere(const FunctionDecl *F, kernix_function_kind Kind, const BindAttribute &Bind) {
    if (F->isDefined())
      return false;
    // Another file may define a host function, unless it has to be defined here.
    if (Kind == KERNIX_HOST_FUNCTION && F->isExternallyVisible() && !F->isInlined())
      return false;
    if (Context.getSourceManager().isInMainFile(Context.getSourceManager().getExpansionLoc(Bind.location())))
      Diagnostics(S).error(Bind.location(), "%0 is bound but not defined in this file") << F;
    return true;
  }

  void bindFunction(const FunctionDecl *Declared, const BindAttribute &Bind, const VarDecl *Variable = nullptr) {
    const FunctionDecl *F = Declared;
    Declared->isDefined(F);
    if (!F)
      F = Declared;
    kernix_function_kind Kind = functionKind(F);
    if (isBoundElsewhere(F, Kind, Bind) || F->isInvalidDecl())
      return;
    const DeclAttributes *Attributes = Store.lookup(F);
    const DeclAttributes *VariableAttributes = Variable ? Store.lookup(Variable) : nullptr;
    BoundFunction Record;
    Record.Decl = F;
    Record.Member = memberToWrap(F);
    Record.Kind = Kind;
    Record.Location = Bind.location();
    Record.Name = publicName(F, Bind, Variable);
    Record.Doc = docComment(Variable ? static_cast<const Decl *>(Variable) : F);
    if (!Bind.Name && !Variable && !F->getIdentifier() && !isa<CXXConstructorDecl>(F)) {
      Diagnostics(S).error(Bind.location(), "%0 is an operator and needs a public name: [[kernix::bind(\"name\")]]")
          << F;
      return;
    }
    if (!Bound.insert({F, Record.Name}).second) {
      Diagnostics(S).error(Bind.location(), "%0 is bound twice as '%1'") << F << Record.Name;
      return;
    }
    DeclAttributes Launch = launchAttributes(Attributes, VariableAttributes);
    if (const std::optional<CapabilityAttribute> &C = Launch.Capability)
      Record.Capability = VariantCapability{C->TensorCores, C->PerformanceFactor, C->MemoryEfficiency};
    if (Launch.Differentiable) {
      Record.WantsForward = Launch.Differentiable->Forward;
      Record.WantsBackward = Launch.Differentiable->Backward;
      Record.Order = Launch.Differentiable->Order;
    }
    // Naming a derivative asks for it.
    Record.WantsForward |= Attributes && Attributes->ForwardDerivative;
    Record.WantsBackward |= Attributes && Attributes->BackwardDerivative;
    if (Record.Member && Record.isDifferentiable()) {
      Diagnostics(S).error(Bind.location(),
                           "%0 needs an object and has no derivatives of its own: bind a function that "
                           "takes the object and calls it")
          << F;
      return;
    }
    if (Record.Member)
      Record.Decl = functionOfMember(S, Store, Record.Member, "kernix_member_" + mangledName(F));
    if (!Record.Decl || !assignResult(S, Record.Decl, Record.Result) || !readParameters(Record, Launch, Bind))
      return;
    nameFunction(Record);
    if (Record.isDifferentiable() && !assignDerivativeRoles(S, Store, Record))
      return;
    Result.Functions.push_back(std::move(Record));
  }

  /// What a variable says about the function that it binds comes before what the function says itself.
  static DeclAttributes launchAttributes(const DeclAttributes *Function, const DeclAttributes *Variable) {
    DeclAttributes Result;
    for (const DeclAttributes *Source : {Variable, Function}) {
      if (!Source)
        continue;
      if (!Result.Grid)
        Result.Grid = Source->Grid;
      if (!Result.Block)
        Result.Block = Source->Block;
      if (!Result.SharedBytes)
        Result.SharedBytes = Source->SharedBytes;
      if (!Result.MaxRegisters)
        Result.MaxRegisters = Source->MaxRegisters;
      if (!Result.Capability)
        Result.Capability = Source->Capability;
      if (!Result.Differentiable)
        Result.Differentiable = Source->Differentiable;
    }
    return Result;
  }

  std::string docComment(const Decl *D) {
    const RawComment *Comment = Context.getRawCommentForAnyRedecl(D);
    return Comment ? Comment->getFormattedText(Context.getSourceManager(), Context.getDiagnostics()) : "";
  }

  static std::string publicName(const FunctionDecl *F, const BindAttribute &Bind, const VarDecl *Variable) {
    if (Bind.Name)
      return Bind.Name->Text;
    return Variable ? qualifiedName(Variable) : qualifiedName(F);
  }

  bool readParameters(BoundFunction &Record, const DeclAttributes &Launch, const BindAttribute &Bind) {
    const FunctionDecl *F = Record.Decl;
    std::vector<const DeclAttributes *> Attributes;
    bool Ok = true;
    for (const ParmVarDecl *D : F->parameters()) {
      Parameter P;
      P.Decl = D;
      P.Name = uniqueName(Record, parameterName(F, D));
      P.OtherNames = otherNames(F, D);
      Attributes.push_back(Store.lookup(D));
      if (!assignRole(S, F, Record.Kind, Attributes.back(), P)) {
        Ok = false;
        continue;
      }
      bool HasIntent = Attributes.back() && Attributes.back()->Intent;
      if (P.IsDiffView && !P.IsConst && !HasIntent)
        Ok &= assignDiffViewRole(S, F, Skipped, P);
      Ok &= checkConstAgrees(F, P);
      readDefault(S, F, P);
      Record.Parameters.push_back(std::move(P));
    }
    if (!Ok || (Bind.ArgSpec && !applyArgSpec(S, *Bind.ArgSpec, Record)) || !checkOneStream(Record))
      return false;
    if ((!Bind.ArgSpec && !checkHasOutput(Record)) || !readAttributeStrings(S, &Launch, Attributes, Record))
      return false;
    return checkUses(S, Record, Attributes, Skipped);
  }

  static std::string parameterName(const FunctionDecl *F, const ParmVarDecl *D) {
    if (!D->getName().empty())
      return D->getNameAsString();
    for (const FunctionDecl *Other : F->redecls()) {
      const ParmVarDecl *Same = Other->getParamDecl(D->getFunctionScopeIndex());
      if (!Same->getName().empty())
        return Same->getNameAsString();
    }
    std::string Name = "arg" + std::to_string(D->getFunctionScopeIndex());
    while (llvm::any_of(F->parameters(), [&](const ParmVarDecl *Other) { return Other->getName() == Name; }))
      Name += "_";
    return Name;
  }

  /// An attribute speaks of parameters by the names of the declaration that it stands on.
  static std::vector<std::string> otherNames(const FunctionDecl *F, const ParmVarDecl *D) {
    std::vector<std::string> Names;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (Pattern && Pattern->getNumParams() != F->getNumParams())
      return Names; // a pack
    for (const FunctionDecl *Other : (Pattern ? Pattern : F)->redecls()) {
      std::string Name = Other->getParamDecl(D->getFunctionScopeIndex())->getNameAsString();
      if (!Name.empty() && Name != D->getName() && !llvm::is_contained(Names, Name))
        Names.push_back(Name);
    }
    return Names;
  }

  /// The parameters made from one pack share its name.
  static std::string uniqueName(const BoundFunction &Record, const std::string &Name) {
    std::string Unique = Name;
    for (unsigned I = 1; llvm::any_of(Record.Parameters, [&](const Parameter &P) { return P.Name == Unique; }); ++I)
      Unique = Name + "_" + std::to_string(I);
    return Unique;
  }

  bool checkOneStream(const BoundFunction &Record) {
    const Parameter *First = nullptr;
    for (const Parameter &P : Record.Parameters) {
      if (P.Role == KERNIX_STREAM && First) {
        Diagnostics(S).error(P.Decl->getLocation(), "%0 takes two streams") << Record.Decl;
        return false;
      }
      if (P.Role == KERNIX_STREAM)
        First = &P;
    }
    return true;
  }

  /// Tensors that are all const look like a forgotten output: const freezes the view, not the data.
  bool checkHasOutput(const BoundFunction &Record) {
    const FunctionDecl *F = Record.Decl;
    bool HasTensor = llvm::any_of(Record.Parameters, [](const Parameter &P) { return P.isTensor(); });
    bool HasOutput = llvm::any_of(Record.Parameters, [](const Parameter &P) { return P.Role == KERNIX_RET; });
    if (!HasTensor || HasOutput || !F->getReturnType()->isVoidType())
      return true;
    Diagnostics(S).error(F->getLocation(), "No non-const Tensor output found in %0. Mark input Tensors with 'const' to "
                                           "distinguish inputs from outputs, or use the explicit dict form: "
                                           "functions={%0: ['arg', 'ret', ...]}")
        << F;
    return false;
  }

  /// The function type drops the const of a by-value parameter, which is all that tells an input from an output.
  bool checkConstAgrees(const FunctionDecl *F, const Parameter &P) {
    if (P.Passing != KERNIX_PASS_TENSOR && P.Passing != KERNIX_PASS_TENSOR_VIEW)
      return true;
    for (const FunctionDecl *Other : F->redecls()) {
      const ParmVarDecl *Same = Other->getParamDecl(P.Decl->getFunctionScopeIndex());
      if (Same->getType().isConstQualified() == P.Decl->getType().isConstQualified())
        continue;
      Diagnostics(S).error(P.Decl->getLocation(),
                           "'%0' is %select{|not }1const here and %select{not |}1const in another "
                           "declaration of %2: it cannot be both input and output")
          << P.Name << !P.Decl->getType().isConstQualified() << F;
      Diagnostics(S).note(Same->getLocation(), "the other declaration");
      return false;
    }
    return true;
  }
};

} // namespace

std::optional<BoundFunction> kernix::bindFunctionEarly(Sema &S, AttributeStore &Store, const SkippedCode &Skipped,
                                                       const FunctionDecl *F) {
  Bindings Result;
  Binder(S, Store, Skipped, Result).runFor(F);
  return Result.Functions.empty() ? std::nullopt : std::optional(std::move(Result.Functions.front()));
}

kernix_function_kind kernix::functionKind(const FunctionDecl *F) {
  if (F->hasAttr<CUDAGlobalAttr>())
    return KERNIX_KERNEL;
  const bool OnDevice = memberToWrap(F) || AttributeStore::get(F->getASTContext()).BindsForDevice;
  if (F->hasAttr<CUDADeviceAttr>() && (OnDevice || !F->hasAttr<CUDAHostAttr>()))
    return KERNIX_DEVICE_FUNCTION;
  return KERNIX_HOST_FUNCTION;
}

void kernix::nameFunction(BoundFunction &Record, llvm::StringRef ShownName) {
  Record.QualifiedName = qualifiedNameWithArguments(Record.Member ? Record.Member : Record.Decl);
  Record.ShownName = ShownName.empty() ? Record.QualifiedName : ShownName.str();
  Record.MangledName = mangledName(Record.Decl);
  Record.Signature = signature(Record);
}

void kernix::bindFunctions(Sema &S, AttributeStore &Store, const SkippedCode &Skipped, Bindings &Result) {
  Binder(S, Store, Skipped, Result).run();
}
