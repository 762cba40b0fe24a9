//===- BindFunctions.cpp - from annotated declarations to records ----------------------------------------------------===//

#include "Binding/BindFunctions.h"
#include "Binding/AttributeStrings.h"
#include "Binding/Defaults.h"
#include "Binding/Instantiate.h"
#include "Binding/Roles.h"
#include "Binding/TensorUses.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RawCommentList.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace clang;
using namespace kernix;

namespace {

kernix_function_kind kindOf(const FunctionDecl *F) {
  if (F->hasAttr<CUDAGlobalAttr>())
    return KERNIX_KERNEL;
  if (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>())
    return KERNIX_DEVICE_FUNCTION;
  return KERNIX_HOST_FUNCTION;
}

/// geo::area, without inline and anonymous namespaces; template arguments only where asked for.
std::string qualifiedName(const FunctionDecl *F, bool WithArguments) {
  ASTContext &Context = F->getASTContext();
  PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressTagKeyword = true;
  Policy.SuppressUnwrittenScope = true;
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  F->printNestedNameSpecifier(OS, Policy);
  OS << F->getDeclName();
  if (WithArguments)
    if (const TemplateArgumentList *Arguments = F->getTemplateSpecializationArgs())
      printTemplateArgumentList(OS, Arguments->asArray(), Policy);
  return Name;
}

std::string mangledName(const FunctionDecl *F) {
  ASTContext &Context = F->getASTContext();
  std::unique_ptr<MangleContext> Mangler(Context.createMangleContext());
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
  std::string Text = F.QualifiedName + "(";
  llvm::raw_string_ostream OS(Text);
  llvm::interleaveComma(F.Parameters, OS, [&](const Parameter &P) {
    P.Decl->getOriginalType().print(OS, Policy, P.Name);
  });
  OS << ")";
  return Text;
}

class Binder {
public:
  Binder(Sema &S, AttributeStore &Store, Bindings &Result) : S(S), Context(S.getASTContext()), Store(Store), Result(Result) {}

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
    groupOperations();
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  Bindings &Result;
  std::set<std::pair<const FunctionDecl *, std::string>> Bound;

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
      Diagnostics(S).error(A->Bind->location(), "a member of a class template is bound through a variable: "
                                                "[[kernix::bind(\"name\")]] constexpr auto name = &Class<Arguments>::%0;")
          << F;
      return;
    }
    bindFunction(F, *A->Bind);
  }

  void bindTemplate(FunctionTemplateDecl *Template, const BindAttribute &Bind) {
    bool Any = false;
    llvm::SmallVector<FunctionDecl *, 8> Instances(Template->specializations());
    for (FunctionDecl *Instance : Instances) {
      if (Instance->getTemplateSpecializationKind() == TSK_ExplicitSpecialization && !Store.lookup(Instance))
        continue;
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

  void bindVariable(const VarDecl *Variable, const BindAttribute &Bind) {
    const APValue *Value = Variable->evaluateValue();
    const ValueDecl *Target = nullptr;
    if (Value && Value->isLValue())
      Target = Value->getLValueBase().dyn_cast<const ValueDecl *>();
    const auto *F = dyn_cast_or_null<FunctionDecl>(Target);
    if (!F) {
      Diagnostics(S).error(Variable->getLocation(), "%0 is bound but does not hold the address of a function") << Variable;
      return;
    }
    bindFunction(F, Bind, Variable);
  }

  /// A kernel or device function is bound where it is defined; elsewhere in a project its header's declaration is enough.
  bool isBoundElsewhere(const FunctionDecl *F, kernix_function_kind Kind, const BindAttribute &Bind) {
    if (F->isDefined() || Kind == KERNIX_HOST_FUNCTION)
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
    kernix_function_kind Kind = kindOf(F);
    if (isBoundElsewhere(F, Kind, Bind) || F->isInvalidDecl())
      return;
    BoundFunction Record;
    Record.Decl = F;
    Record.Kind = Kind;
    Record.Location = Bind.location();
    Record.Name = publicName(F, Bind, Variable);
    Record.QualifiedName = qualifiedName(F, /*WithArguments=*/true);
    Record.MangledName = mangledName(F);
    Record.Doc = docComment(Variable ? static_cast<const Decl *>(Variable) : F);
    if (Bind.ArgSpec) {
      Diagnostics(S).error(Bind.ArgSpec->location(), "an explicit arg_spec is not available yet; without it the roles come "
                                                     "from the types of the parameters");
      return;
    }
    if (!Bound.insert({F, Record.Name}).second) {
      Diagnostics(S).error(Bind.location(), "%0 is bound twice as '%1'") << F << Record.Name;
      return;
    }
    if (!readParameters(Record) || !assignResult(S, F, Record.Result))
      return;
    Record.Signature = signature(Record);
    Result.Functions.push_back(std::move(Record));
  }

  std::string docComment(const Decl *D) {
    const RawComment *Comment = Context.getRawCommentForAnyRedecl(D);
    return Comment ? Comment->getFormattedText(Context.getSourceManager(), Context.getDiagnostics()) : "";
  }

  static std::string publicName(const FunctionDecl *F, const BindAttribute &Bind, const VarDecl *Variable) {
    if (Bind.Name)
      return Bind.Name->Text;
    return Variable ? Variable->getNameAsString() : qualifiedName(F, /*WithArguments=*/false);
  }

  bool readParameters(BoundFunction &Record) {
    const FunctionDecl *F = Record.Decl;
    std::vector<const DeclAttributes *> Attributes;
    const Parameter *Stream = nullptr;
    bool Ok = true;
    for (const ParmVarDecl *D : F->parameters()) {
      Parameter P;
      P.Decl = D;
      P.Name = parameterName(F, D);
      Attributes.push_back(Store.lookup(D));
      if (!assignRole(S, F, Record.Kind, Attributes.back(), P)) {
        Ok = false;
        continue;
      }
      Ok &= checkConstAgrees(F, P);
      readDefault(S, F, P);
      Record.Parameters.push_back(std::move(P));
      if (Record.Parameters.back().Role != KERNIX_STREAM)
        continue;
      if (Stream) {
        Diagnostics(S).error(D->getLocation(), "%0 takes two streams") << F;
        Ok = false;
      }
      Stream = &Record.Parameters.back();
    }
    if (!Ok)
      return false;
    const DeclAttributes *FunctionAttributes = Store.lookup(F);
    if (!readAttributeStrings(S, FunctionAttributes, Attributes, Record))
      return false;
    Record.Differentiable = FunctionAttributes && FunctionAttributes->Differentiable;
    if (Record.Kind == KERNIX_KERNEL)
      Record.UsesOnlyX = usesOnlyX(F);
    for (size_t I = 0; I < Record.Parameters.size(); ++I)
      if (Record.Parameters[I].isTensor())
        Ok &= checkUses(Record, Record.Parameters[I], Attributes[I]);
    return Ok;
  }

  static std::string parameterName(const FunctionDecl *F, const ParmVarDecl *D) {
    if (!D->getName().empty())
      return D->getNameAsString();
    for (const FunctionDecl *Other : F->redecls()) {
      const ParmVarDecl *Same = Other->getParamDecl(D->getFunctionScopeIndex());
      if (!Same->getName().empty())
        return Same->getNameAsString();
    }
    return "arg" + std::to_string(D->getFunctionScopeIndex());
  }

  /// The function type drops the const of a by-value parameter, which is all that tells an input from an output.
  bool checkConstAgrees(const FunctionDecl *F, const Parameter &P) {
    if (P.Passing != KERNIX_PASS_TENSOR && P.Passing != KERNIX_PASS_TENSOR_VIEW)
      return true;
    for (const FunctionDecl *Other : F->redecls()) {
      const ParmVarDecl *Same = Other->getParamDecl(P.Decl->getFunctionScopeIndex());
      if (Same->getType().isConstQualified() == P.Decl->getType().isConstQualified())
        continue;
      Diagnostics(S).error(P.Decl->getLocation(), "'%0' is %select{|not }1const here and %select{not |}1const in another "
                                                  "declaration of %2: it cannot be both input and output")
          << P.Name << !P.Decl->getType().isConstQualified() << F;
      Diagnostics(S).note(Same->getLocation(), "the other declaration");
      return false;
    }
    return true;
  }

  /// Compares what a tensor is declared to be with what the body does.
  bool checkUses(BoundFunction &Record, Parameter &P, const DeclAttributes *A) {
    TensorUses Uses = tensorUses(Record.Decl, P.Decl);
    P.ZeroInit = P.Role == KERNIX_RET && (Uses.Read || Uses.Unknown || !Uses.BodyVisible);
    if (P.Role == KERNIX_ARG && Uses.Write) {
      bool ByIntent = A && A->Intent && A->Intent->Kind == IntentKind::In && !P.IsConst;
      Diagnostics(S).error(Uses.Write->getExprLoc(),
                           "'%0' is %select{declared const|bound with intent(in)}1, an input, but %2 writes to it here")
          << P.Name << ByIntent << Record.Decl << Uses.Write->getSourceRange();
      auto Builder = Diagnostics(S).note(P.Decl->getLocation(), "remove %select{'const'|the intent}0 to make '%1' an output");
      Builder << ByIntent << P.Name;
      return false;
    }
    return true;
  }

  void groupOperations() {
    llvm::MapVector<llvm::StringRef, Operation> Operations;
    for (const BoundFunction &F : Result.Functions) {
      Operation &O = Operations[F.Name];
      O.Name = F.Name;
      if (!O.Variants.empty() && !checkVariant(*O.Variants.front(), F))
        return;
      O.Variants.push_back(&F);
    }
    for (auto &Entry : Operations)
      Result.Operations.push_back(std::move(Entry.second));
  }

  /// Variants are told apart by the types of their arguments only.
  bool checkVariant(const BoundFunction &First, const BoundFunction &F) {
    auto Names = [](const BoundFunction &B) {
      std::vector<std::string> Result;
      for (const Parameter &P : B.Parameters)
        Result.push_back(P.Name);
      return Result;
    };
    if (First.Kind == F.Kind && Names(First) == Names(F))
      return true;
    Diagnostics(S).error(F.Location, "functions bound as '%0' are variants of one operation and need the same kind and the "
                                     "same parameter names; bind this one under another name")
        << F.Name;
    Diagnostics(S).note(First.Decl->getLocation(), "%0 is bound as '%1' too") << First.Signature << F.Name;
    return false;
  }
};

} // namespace

void kernix::bindFunctions(Sema &S, AttributeStore &Store, Bindings &Result) { Binder(S, Store, Result).run(); }
