//===- CustomDerivatives.cpp - derivatives that users write -----------------------------------------------------===//

#include "Synthesis/CustomDerivatives.h"
#include "Binding/UnboundFunction.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/AstBuilder.h"
#include "Synthesis/DerivativeBody.h"
#include "Synthesis/RuleThunks.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/TemplateDeduction.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kernix;

namespace {

/// The members that F, a member of a class template, has been instantiated to.
void appendMembers(const ClassTemplateDecl *Template, const FunctionDecl *F,
                   llvm::SmallVectorImpl<const FunctionDecl *> &Result) {
  for (const ClassTemplateSpecializationDecl *Class : Template->specializations())
    for (const CXXMethodDecl *Method : Class->methods())
      if (const FunctionDecl *Pattern = Method->getInstantiatedFromMemberFunction();
          Pattern && declaresSameEntity(Pattern, F))
        Result.push_back(Method);
}

/// F itself, or its instances if it is a template or a member of one.
llvm::SmallVector<const FunctionDecl *, 4> instancesOf(const NamedDecl *D) {
  llvm::SmallVector<const FunctionDecl *, 4> Result;
  if (const auto *F = dyn_cast<FunctionDecl>(D)) {
    const FunctionTemplateDecl *Template = F->getDescribedFunctionTemplate();
    const auto *Class = dyn_cast<CXXRecordDecl>(F->getDeclContext());
    if (Class && Class->getDescribedClassTemplate() && !Template) {
      appendMembers(Class->getDescribedClassTemplate(), F, Result);
      return Result;
    }
    if (!Template) {
      Result.push_back(F);
      return Result;
    }
    D = Template;
  }
  if (auto *Template = const_cast<FunctionTemplateDecl *>(dyn_cast<FunctionTemplateDecl>(D)))
    Result.append(Template->spec_begin(), Template->spec_end());
  return Result;
}

/// What an attribute names inside a class template, in the instance that F is a member of.
llvm::SmallVector<NamedDecl *, 4> inClassOf(const FunctionDecl *F, llvm::SmallVector<NamedDecl *, 4> Candidates) {
  const auto *Class = dyn_cast<CXXRecordDecl>(F->getDeclContext());
  if (!Class || !isa<ClassTemplateSpecializationDecl>(Class))
    return Candidates;
  llvm::SmallVector<NamedDecl *, 4> Result;
  for (NamedDecl *D : Candidates) {
    const auto *Outer = dyn_cast<CXXRecordDecl>(D->getDeclContext());
    if (!Outer || !Outer->getDescribedClassTemplate()) {
      Result.push_back(D);
      continue;
    }
    for (NamedDecl *Found : Class->lookup(D->getDeclName()))
      if (!llvm::is_contained(Result, Found))
        Result.push_back(Found);
  }
  return Result;
}

/// Without the object and its gradient, which are a parameter of a rule that is no member.
std::vector<DerivativeParameter> withoutObject(llvm::ArrayRef<DerivativeParameter> Parameters) {
  std::vector<DerivativeParameter> Result;
  for (const DerivativeParameter &P : Parameters)
    if (P.Primal != 0)
      Result.push_back(P);
  return Result;
}

bool isOnHost(const FunctionDecl *D) { return D->hasAttr<CUDAHostAttr>() || !D->hasAttr<CUDADeviceAttr>(); }

QualType functionType(ASTContext &Context, QualType Result, llvm::ArrayRef<DerivativeParameter> Parameters) {
  return Context.getFunctionType(Result, declaredTypes(Parameters), FunctionProtoType::ExtProtoInfo());
}

} // namespace

bool CustomDerivatives::collect() {
  llvm::SmallVector<const Decl *, 16> Annotated(Store.annotated());
  bool Ok = true;
  for (const Decl *D : Annotated) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    const DeclAttributes *A = F ? Store.lookup(F) : nullptr;
    if (!A)
      continue;
    // Kernels have no callers in device code: what they name is their f_fwd or f_bwd.
    bool IsKernel = F->hasAttr<CUDAGlobalAttr>();
    if (A->ForwardDerivative && !IsKernel)
      Ok &= collectFor(F, A->ForwardDerivative->Function, A->ForwardDerivative->location(), KERNIX_FORWARD_DERIVATIVE);
    if (A->BackwardDerivative && !IsKernel)
      Ok &=
          collectFor(F, A->BackwardDerivative->Function, A->BackwardDerivative->location(), KERNIX_BACKWARD_DERIVATIVE);
    if (A->ForwardDerivativeOf)
      Ok &=
          collectOf(F, A->ForwardDerivativeOf->Function, A->ForwardDerivativeOf->location(), KERNIX_FORWARD_DERIVATIVE);
    if (A->BackwardDerivativeOf)
      Ok &= collectOf(F, A->BackwardDerivativeOf->Function, A->BackwardDerivativeOf->location(),
                      KERNIX_BACKWARD_DERIVATIVE);
  }
  if (Ok)
    S.PerformPendingInstantiations();
  return Ok;
}

bool CustomDerivatives::collectFor(const FunctionDecl *F, const Expr *Rule, SourceLocation Loc,
                                   kernix_derivative Mode) {
  bool Ok = true;
  for (const FunctionDecl *Instance : instancesOf(F))
    Ok &= add(Instance, functionsNamedBy(Rule), Loc, Mode, /*MayFail=*/false);
  return Ok;
}

bool CustomDerivatives::collectOf(const FunctionDecl *Rule, const Expr *Named, SourceLocation Loc,
                                  kernix_derivative Mode) {
  NamedDecl *Candidate = const_cast<FunctionDecl *>(Rule);
  if (FunctionTemplateDecl *Template = Rule->getDescribedFunctionTemplate())
    Candidate = Template;
  llvm::SmallVector<const FunctionDecl *, 4> Functions;
  for (const NamedDecl *D : functionsNamedBy(Named))
    Functions.append(instancesOf(D));
  size_t Before = Rules.size();
  bool IsOnly = Functions.size() == 1;
  bool Ok = true;
  for (const FunctionDecl *F : Functions)
    Ok &= add(F, Candidate, Loc, Mode, /*MayFail=*/!IsOnly);
  if (Ok && Rules.size() == Before && Functions.size() > 1) {
    Diagnostics(S).error(Loc, "%0 has the type of a %1 derivative of none of these functions")
        << Candidate << modeName(Mode);
    for (const FunctionDecl *F : Functions)
      Diagnostics(S).note(F->getLocation(), "%0 of type %1") << F << F->getType();
    return false;
  }
  return Ok;
}

bool CustomDerivatives::add(const FunctionDecl *F, llvm::ArrayRef<NamedDecl *> Candidates, SourceLocation Loc,
                            kernix_derivative Mode, bool MayFail) {
  if (F->hasAttr<CUDAGlobalAttr>()) {
    Diagnostics(S).error(Loc, "%0 is a kernel: name its derivative where it is declared, by "
                              "[[kernix::%1_derivative(...)]]")
        << F << modeName(Mode);
    return false;
  }
  llvm::SmallVector<NamedDecl *, 4> Own = inClassOf(F, llvm::SmallVector<NamedDecl *, 4>(Candidates));
  ASTContext &Context = S.getASTContext();
  const CXXMethodDecl *Method = memberWithObject(F);
  bool Found = false, Failed = false;
  std::vector<DerivativeParameter> Expected;
  QualType Result;
  auto Try = [&](ObjectOfRule Object) {
    std::optional<BoundFunction> Record = functionWithRule(S, Store, F, Loc, Object);
    std::optional<std::vector<DerivativeParameter>> Parameters =
        Record ? derivativeParameters(S, *Record, Mode) : std::nullopt;
    Result = Parameters ? derivativeResult(S, *Record, Mode) : QualType();
    if (Result.isNull()) {
      Failed = true;
      return;
    }
    bool IsMember = Method && Object == ObjectOfRule::Member;
    Expected = IsMember ? withoutObject(*Parameters) : *Parameters;
    FunctionDecl *Rule = match(Own, functionType(Context, Result, Expected), Loc, IsMember ? Method : nullptr);
    if (!Rule)
      return;
    Found = true;
    Failed = !addMatch(std::move(*Record), Rule, Loc, Mode, std::move(*Parameters));
  };
  bool NamesMember = llvm::any_of(Own, [](const NamedDecl *D) {
    const auto *Rule = dyn_cast<CXXMethodDecl>(D->getAsFunction() ? D->getAsFunction() : D);
    return Rule && Rule->isInstance();
  });
  Try(Method && NamesMember ? ObjectOfRule::Member : ObjectOfRule::Parameter);
  if (Failed)
    return false;
  if (!Found && !MayFail)
    reportMismatch(F, Own, Loc, Mode, Result, Expected);
  return Found || MayFail;
}

bool CustomDerivatives::addMatch(BoundFunction Record, FunctionDecl *Rule, SourceLocation Loc, kernix_derivative Mode,
                                 std::vector<DerivativeParameter> Parameters) {
  const FunctionDecl *F = Record.Decl;
  auto [Place, IsNew] = Rules.try_emplace({F->getCanonicalDecl(), Mode}, Rule);
  if (!IsNew && Place->second->getCanonicalDecl() != Rule->getCanonicalDecl()) {
    Diagnostics(S).error(Loc, "%0 has another %1 derivative already") << F << modeName(Mode);
    Diagnostics(S).note(Place->second->getLocation(), "declared here");
    return false;
  }
  bool NeedsDevice = F->hasAttr<CUDADeviceAttr>() && !Rule->hasAttr<CUDADeviceAttr>();
  if (NeedsDevice || (isOnHost(F) && !isOnHost(Rule))) {
    Diagnostics(S).error(Loc, "%0 is a __%select{host|device}2__ function and so must be its derivative, but %1 is not")
        << F << Rule << NeedsDevice;
    Diagnostics(S).note(Rule->getLocation(), "declared here");
    return false;
  }
  if (IsNew)
    All.push_back({std::move(Record), Rule, Loc, Mode, std::move(Parameters)});
  return true;
}

bool CustomDerivatives::handOver() {
  for (const Found &Each : All) {
    AstBuilder B(S, Each.Loc);
    if (hasBodyInThisPass(S, *Each.F.Decl) && !handOverRule(B, Each.F, Each.Rule, Each.Mode, Each.Parameters))
      return false;
  }
  // Rules that are members of a class template: nothing else has asked for their bodies.
  S.PerformPendingInstantiations();
  return true;
}

/// Member: the rule is a member of the same class that can be called where Member is.
FunctionDecl *CustomDerivatives::match(llvm::ArrayRef<NamedDecl *> Candidates, QualType Type, SourceLocation Loc,
                                       const CXXMethodDecl *Member) {
  ASTContext &Context = S.getASTContext();
  for (NamedDecl *D : Candidates) {
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      const CXXMethodDecl *Method = memberWithObject(F);
      if (!Method != !Member || (Member && (!declaresSameEntity(Method->getParent(), Member->getParent()) ||
                                            (Member->isConst() && !Method->isConst()))))
        continue;
      QualType Own = F->getType();
      if (const auto *Proto = Own->getAs<FunctionProtoType>(); Proto && Method)
        Own =
            Context.getFunctionType(Proto->getReturnType(), Proto->getParamTypes(), FunctionProtoType::ExtProtoInfo());
      if (Context.hasSameFunctionTypeIgnoringExceptionSpec(Own, Type))
        return F;
      continue;
    }
    auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    if (!Template)
      continue;
    sema::TemplateDeductionInfo Info(Loc);
    FunctionDecl *Instance = nullptr;
    Sema::SFINAETrap Trap(S);
    EnterExpressionEvaluationContext Unevaluated(S, Sema::ExpressionEvaluationContext::Unevaluated);
    if (S.DeduceTemplateArguments(Template, nullptr, Type, Instance, Info, /*IsAddressOfFunction=*/true) ==
            TemplateDeductionResult::Success &&
        Context.hasSameFunctionTypeIgnoringExceptionSpec(Instance->getType(), Type))
      return Instance;
  }
  return nullptr;
}

void CustomDerivatives::reportMismatch(const FunctionDecl *F, llvm::ArrayRef<NamedDecl *> Candidates,
                                       SourceLocation Loc, kernix_derivative Mode, QualType Result,
                                       llvm::ArrayRef<DerivativeParameter> Parameters) {
  // A template names what is declared behind it as it likes.
  if (Candidates.empty()) {
    Diagnostics(S).error(Loc,
                         "no function that is declared before %0 has this name: declare its %1 derivative above it")
        << F << modeName(Mode);
    return;
  }
  PrintingPolicy Policy(S.getASTContext().getPrintingPolicy());
  Policy.SuppressTagKeyword = true;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Result.print(OS, Policy);
  const CXXMethodDecl *Member = memberWithObject(F);
  OS << " ";
  if (Member)
    OS << Member->getParent()->getName() << "::";
  OS << Candidates.front()->getNameAsString() << "(";
  llvm::interleaveComma(llvm::make_filter_range(Parameters, [](const DerivativeParameter &P) { return !P.IsCarried; }),
                        OS, [&](const DerivativeParameter &P) { P.Type.print(OS, Policy, P.Name); });
  OS << (Member && Member->isConst() ? ") const" : ")");
  Diagnostics(S).error(Loc, "'%0' does not have the type of the %1 derivative of %2")
      << Candidates.front()->getNameAsString() << modeName(Mode) << F;
  Diagnostics(S).note(F->getLocation(), "expected '%0'") << Text;
  for (const NamedDecl *D : Candidates)
    Diagnostics(S).note(D->getLocation(), "declared here");
}

FunctionDecl *CustomDerivatives::ruleFor(const FunctionDecl *F, kernix_derivative Mode) const {
  return Rules.lookup({F->getCanonicalDecl(), Mode});
}

bool CustomDerivatives::hasUsers() const {
  auto IsOfKernix = [](const FunctionDecl *Rule) {
    const DeclContext *Outermost = nullptr;
    for (const DeclContext *C = Rule->getDeclContext(); !C->isTranslationUnit(); C = C->getParent())
      Outermost = C;
    const auto *Namespace = dyn_cast_or_null<NamespaceDecl>(Outermost);
    return Namespace && Namespace->getName() == "kernix";
  };
  return llvm::any_of(All, [&](const Found &Each) { return !IsOfKernix(Each.Rule); });
}

FunctionDecl *CustomDerivatives::namedFor(const BoundFunction &F, kernix_derivative Mode,
                                          llvm::ArrayRef<DerivativeParameter> Parameters, bool &Failed) {
  Failed = false;
  if (F.Kind != KERNIX_KERNEL)
    if (FunctionDecl *Rule = ruleFor(F.Decl, Mode))
      return Rule;
  const DeclAttributes *A = Store.lookup(F.Decl);
  const auto *Attribute = !A                                  ? nullptr
                          : Mode == KERNIX_FORWARD_DERIVATIVE ? &A->ForwardDerivative
                                                              : &A->BackwardDerivative;
  if (!Attribute || !*Attribute)
    return nullptr;
  QualType Result = derivativeResult(S, F, Mode);
  llvm::SmallVector<NamedDecl *, 4> Candidates = functionsNamedBy((*Attribute)->Function);
  FunctionDecl *Found =
      match(Candidates, functionType(S.getASTContext(), Result, Parameters), (*Attribute)->location());
  if (Found && F.Kind == KERNIX_KERNEL && !Found->hasAttr<CUDAGlobalAttr>()) {
    Diagnostics(S).error((*Attribute)->location(), "%0 is a kernel and needs a kernel as its %1 derivative, which %2 "
                                                   "is not")
        << F.Decl << modeName(Mode) << Found;
    Diagnostics(S).note(Found->getLocation(), "declared here");
    Failed = true;
    return nullptr;
  }
  if (!Found) {
    reportMismatch(F.Decl, Candidates, (*Attribute)->location(), Mode, Result, Parameters);
    Failed = true;
    return nullptr;
  }
  // An instance of a template gets its body, which is looked at.
  S.MarkFunctionReferenced((*Attribute)->location(), Found);
  S.PerformPendingInstantiations();
  return Found;
}
