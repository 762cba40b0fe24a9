//===- CustomDerivatives.cpp - derivatives that users write -----------------------------------------------------===//

#include "Synthesis/CustomDerivatives.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/AstBuilder.h"
#include "Synthesis/DerivativeBody.h"
#include "Synthesis/RuleThunks.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/TemplateDeduction.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kernix;

namespace {

/// What F was instantiated from. A specialization is another function than its template: it comes from nothing.
const FunctionDecl *patternOf(const FunctionDecl *F) {
  if (F->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return nullptr;
  if (const FunctionTemplateDecl *Primary = F->getPrimaryTemplate())
    return Primary->getTemplatedDecl();
  if (FunctionTemplateDecl *Template = F->getDescribedFunctionTemplate()) {
    FunctionTemplateDecl *Outer =
        Template->isMemberSpecialization() ? nullptr : Template->getInstantiatedFromMemberTemplate();
    return Outer ? Outer->getTemplatedDecl() : nullptr;
  }
  if (const FunctionDecl *Declared = F->getInstantiatedFromDecl())
    return Declared;
  return F->getInstantiatedFromMemberFunction();
}

bool isInstanceOf(const FunctionDecl *F, const FunctionDecl *Pattern) {
  while ((F = patternOf(F)))
    if (declaresSameEntity(F, Pattern))
      return true;
  return false;
}

/// What D is declared in: a friend is visible outside of its class, but its template is the class's.
const DeclContext *surroundings(const Decl *D) {
  return D->getFriendObjectKind() ? D->getLexicalDeclContext() : D->getDeclContext();
}

/// The outermost template that D is or is in, through which all its instances are found; null if there is none.
Decl *outermostTemplate(const Decl *D) {
  Decl *Outermost = nullptr;
  for (; !isa<TranslationUnitDecl>(D); D = Decl::castFromDeclContext(surroundings(D))) {
    if (const auto *Partial = dyn_cast<ClassTemplatePartialSpecializationDecl>(D))
      Outermost = Partial->getSpecializedTemplate();
    else if (TemplateDecl *Template = D->getDescribedTemplate())
      Outermost = Template;
  }
  return Outermost;
}

/// The functions in D, of templates those in their instances.
void visitFunctions(Decl *D, llvm::function_ref<void(FunctionDecl *)> Visit) {
  if (auto *Template = dyn_cast<FunctionTemplateDecl>(D)) {
    for (FunctionDecl *Instance : Template->specializations())
      visitFunctions(Instance, Visit);
  } else if (auto *Template = dyn_cast<ClassTemplateDecl>(D)) {
    for (ClassTemplateSpecializationDecl *Instance : Template->specializations())
      visitFunctions(Instance, Visit);
  } else if (auto *Friend = dyn_cast<FriendDecl>(D)) {
    if (NamedDecl *Declared = Friend->getFriendDecl())
      visitFunctions(Declared, Visit);
  } else if (auto *Context = dyn_cast<DeclContext>(D)) {
    if (auto *F = dyn_cast<FunctionDecl>(D))
      Visit(F);
    for (Decl *Member : Context->decls())
      visitFunctions(Member, Visit);
  }
}

/// F itself, or its instances if it is a template or in one.
llvm::SmallVector<const FunctionDecl *, 4> instancesOf(const NamedDecl *D) {
  const FunctionDecl *F = D->getAsFunction();
  if (!F)
    return {};
  Decl *Outermost = outermostTemplate(F->getCanonicalDecl());
  if (!Outermost)
    return {F};
  llvm::SmallVector<const FunctionDecl *, 4> Result;
  visitFunctions(Outermost, [&](FunctionDecl *Instance) {
    if (!Instance->isTemplated() && isInstanceOf(Instance, F))
      Result.push_back(Instance);
  });
  return Result;
}

/// The one that `f<double>` is; null for a name without arguments, and for one with those of a template around it.
FunctionDecl *instanceNamedBy(Sema &S, const Expr *Argument) {
  auto *Named = dyn_cast<OverloadExpr>(const_cast<Expr *>(functionNameIn(Argument)));
  bool IsKnown = Named && Named->hasExplicitTemplateArgs() &&
                 llvm::none_of(Named->template_arguments(),
                               [](const TemplateArgumentLoc &A) { return A.getArgument().isDependent(); });
  return IsKnown ? S.ResolveSingleFunctionTemplateSpecialization(Named) : nullptr;
}

/// What an attribute names inside class templates, in the instances that F is in.
llvm::SmallVector<NamedDecl *, 4> candidatesFor(const FunctionDecl *F, llvm::ArrayRef<NamedDecl *> Named) {
  llvm::SmallVector<NamedDecl *, 4> Result;
  for (NamedDecl *D : Named) {
    if (!D->getDeclContext()->isDependentContext()) {
      Result.push_back(D);
      continue;
    }
    for (const DeclContext *C = surroundings(F); !C->isFileContext(); C = C->getParent()) {
      const auto *Class = dyn_cast<CXXRecordDecl>(C);
      const CXXRecordDecl *Pattern = Class ? Class->getTemplateInstantiationPattern() : nullptr;
      if (!Pattern || !declaresSameEntity(Pattern, Decl::castFromDeclContext(D->getDeclContext())))
        continue;
      for (NamedDecl *Found : Class->lookup(D->getDeclName()))
        if (!llvm::is_contained(Result, Found))
          Result.push_back(Found);
    }
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

/// Why no rule is possible for F; empty: one is.
llvm::StringRef whyNoRule(const FunctionDecl *F) {
  if (isa<CXXConstructorDecl>(F))
    return "it is a constructor; name the derivative of a function that makes the object";
  if (isa<CXXDestructorDecl>(F))
    return "it is a destructor";
  if (F->getReturnType()->isReferenceType())
    return "it returns a reference, which has no gradient of its own; return the value, or take what is changed as a "
           "parameter";
  return F->isVariadic() ? "it takes arguments of any type ('...')" : "";
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
  llvm::SmallVector<NamedDecl *, 4> Declared = functionsNamedBy(Named);
  if (Declared.empty()) {
    Diagnostics(S).error(Loc, "this names no function that is known before its template is instantiated");
    return false;
  }
  llvm::SmallVector<const FunctionDecl *, 4> Functions;
  if (const FunctionDecl *Instance = instanceNamedBy(S, Named))
    Functions.push_back(Instance);
  else
    for (const NamedDecl *D : Declared)
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
  if (llvm::StringRef Why = whyNoRule(F); !Why.empty()) {
    if (!MayFail)
      Diagnostics(S).error(Loc, "%0 can have no %1 derivative that is written by hand: %2")
          << F << modeName(Mode) << Why;
    return MayFail;
  }
  llvm::SmallVector<NamedDecl *, 4> Own = candidatesFor(F, Candidates);
  const CXXMethodDecl *Method = memberWithObject(F);
  bool IsMember = Method && llvm::any_of(Own, [](const NamedDecl *D) {
                    const auto *Rule = dyn_cast<CXXMethodDecl>(D->getAsFunction() ? D->getAsFunction() : D);
                    return Rule && Rule->isInstance();
                  });
  std::optional<Signature> Expected =
      signatureOfRule(F, Loc, Mode, IsMember ? ObjectOfRule::Member : ObjectOfRule::Parameter, /*Silently=*/MayFail);
  if (!Expected)
    return MayFail;
  std::vector<DerivativeParameter> Declared = IsMember ? withoutObject(Expected->Parameters) : Expected->Parameters;
  if (FunctionDecl *Rule =
          match(Own, functionType(S.getASTContext(), Expected->Result, Declared), Loc, IsMember ? Method : nullptr))
    return addMatch(std::move(Expected->F), Rule, Loc, Mode, std::move(Expected->Parameters));
  if (!MayFail)
    reportMismatch(F, Own, Loc, Mode, Expected->Result, Declared);
  return MayFail;
}

std::optional<CustomDerivatives::Signature> CustomDerivatives::signatureOfRule(const FunctionDecl *F,
                                                                               SourceLocation Loc,
                                                                               kernix_derivative Mode,
                                                                               ObjectOfRule Object, bool Silently) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  llvm::scope_exit Restore(
      [&, Before = Diags.getSuppressAllDiagnostics()] { Diags.setSuppressAllDiagnostics(Before); });
  if (Silently)
    Diags.setSuppressAllDiagnostics(true);
  std::optional<BoundFunction> Record = functionWithRule(S, Store, F, Loc, Object);
  std::optional<std::vector<DerivativeParameter>> Parameters =
      Record ? derivativeParameters(S, *Record, Mode) : std::nullopt;
  QualType Result = Parameters ? derivativeResult(S, *Record, Mode) : QualType();
  if (Result.isNull())
    return std::nullopt;
  return Signature{std::move(*Record), std::move(*Parameters), Result};
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
    unsigned Where = !F->hasAttr<CUDADeviceAttr>() ? 0 : isOnHost(F) ? 2 : 1;
    Diagnostics(S).error(Loc, "%0 is a %select{__host__|__device__|__host__ __device__}2 function and so must be its "
                              "derivative, but %1 is not")
        << F << Rule << Where;
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
  auto IsOfObject = [&](const FunctionDecl *F) {
    const CXXMethodDecl *Method = memberWithObject(F);
    return !Method == !Member && (!Member || (declaresSameEntity(Method->getParent(), Member->getParent()) &&
                                              (!Member->isConst() || Method->isConst())));
  };
  // A member's own type also says what may be done to the object.
  auto Qualified = [&](QualType Plain, const FunctionDecl *Like) {
    const auto *Proto = Plain->getAs<FunctionProtoType>();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Like);
    FunctionProtoType::ExtProtoInfo Info;
    if (Method) {
      Info.TypeQuals = Method->getMethodQualifiers();
      Info.RefQualifier = Method->getRefQualifier();
    }
    return Context.getFunctionType(Proto->getReturnType(), Proto->getParamTypes(), Info);
  };
  auto IsOfType = [&](const FunctionDecl *F) {
    QualType Own = Member && F->getType()->getAs<FunctionProtoType>() ? Qualified(F->getType(), nullptr) : F->getType();
    return Context.hasSameFunctionTypeIgnoringExceptionSpec(Own, Type);
  };
  for (NamedDecl *D : Candidates) {
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (IsOfObject(F) && IsOfType(F))
        return F;
      continue;
    }
    auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    if (!Template || !IsOfObject(Template->getTemplatedDecl()))
      continue;
    sema::TemplateDeductionInfo Info(Loc);
    FunctionDecl *Instance = nullptr;
    Sema::SFINAETrap Trap(S);
    EnterExpressionEvaluationContext Unevaluated(S, Sema::ExpressionEvaluationContext::Unevaluated);
    QualType Wanted = Member ? Qualified(Type, Template->getTemplatedDecl()) : Type;
    if (S.DeduceTemplateArguments(Template, nullptr, Wanted, Instance, Info, /*IsAddressOfFunction=*/true) ==
            TemplateDeductionResult::Success &&
        IsOfType(Instance))
      return Instance;
  }
  return nullptr;
}

void CustomDerivatives::reportMismatch(const FunctionDecl *F, llvm::ArrayRef<NamedDecl *> Candidates,
                                       SourceLocation Loc, kernix_derivative Mode, QualType Result,
                                       llvm::ArrayRef<DerivativeParameter> Parameters) {
  // A template names members of what it does not know as it likes.
  if (Candidates.empty()) {
    Diagnostics(S).error(Loc,
                         "this names no function that can be the %0 derivative of %1: a derivative is a function of "
                         "its own or a member of the class that %1 is in, not of a base that depends on a template")
        << modeName(Mode) << F;
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
  llvm::SmallVector<NamedDecl *, 4> Candidates = candidatesFor(F.Decl, functionsNamedBy((*Attribute)->Function));
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
