//===- DerivativeNames.cpp - names of derivatives in code -------------------------------------------------------===//

#include "Synthesis/DerivativeNames.h"
#include "Binding/BindFunctions.h"
#include "Binding/SkippedCode.h"
#include "Synthesis/DerivativeDeclaration.h"
#include "clang/Sema/Lookup.h"

using namespace clang;
using namespace kernix;

bool DerivativeNames::LookupUnqualified(LookupResult &Result, Scope *Scope) {
  const IdentifierInfo *Identifier = Result.getLookupName().getAsIdentifierInfo();
  if (IsBusy || !Scope || !Identifier || Result.getLookupKind() != Sema::LookupOrdinaryName)
    return false;
  for (kernix_derivative Mode : {KERNIX_FORWARD_DERIVATIVE, KERNIX_BACKWARD_DERIVATIVE}) {
    llvm::StringRef Name = Identifier->getName();
    if (!Name.consume_back(suffix(Mode)) || Name.empty())
      continue;
    LookupResult Primal(S, &S.getASTContext().Idents.get(Name), Result.getNameLoc(), Sema::LookupOrdinaryName);
    Primal.suppressDiagnostics();
    if (!S.LookupName(Primal, Scope))
      return false;
    for (NamedDecl *D : Primal)
      if (const auto *F = dyn_cast<FunctionDecl>(D->getUnderlyingDecl()))
        if (FunctionDecl *Derivative = declare(F, Mode))
          Result.addDecl(Derivative);
    Result.resolveKind();
    return !Result.empty();
  }
  return false;
}

void DerivativeNames::declareAll() {
  AttributeStore &Store = AttributeStore::get(S.getASTContext());
  if (Store.empty())
    return;
  llvm::SmallVector<const Decl *, 16> Annotated(Store.annotated());
  for (const Decl *D : Annotated) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    if (!F || F->getDeclContext()->getRedeclContext()->isTranslationUnit())
      continue;
    declare(F, KERNIX_FORWARD_DERIVATIVE);
    declare(F, KERNIX_BACKWARD_DERIVATIVE);
  }
}

FunctionDecl *DerivativeNames::declared(const FunctionDecl *F, kernix_derivative Mode) const {
  return Declared.lookup({F->getCanonicalDecl(), Mode});
}

FunctionDecl *DerivativeNames::declare(const FunctionDecl *F, kernix_derivative Mode) {
  bool IsForward = Mode == KERNIX_FORWARD_DERIVATIVE;
  AttributeStore &Store = AttributeStore::get(S.getASTContext());
  const DeclAttributes *A = Store.lookup(F);
  bool IsWanted = A && A->Bind && A->Differentiable &&
                  (IsForward ? A->Differentiable->Forward : A->Differentiable->Backward) &&
                  !(IsForward ? A->ForwardDerivative : A->BackwardDerivative); // that one has a name of its own
  if (!IsWanted || F->getDescribedFunctionTemplate() || F->isTemplateInstantiation() ||
      isa<CXXRecordDecl>(F->getDeclContext()) || !F->hasBody())
    return nullptr;
  auto [Place, IsNew] = Declared.try_emplace({F->getCanonicalDecl(), Mode}, nullptr);
  if (!IsNew)
    return Place->second;
  IsBusy = true; // binding looks names up, too
  // What is wrong is said once, at the end of the file.
  DiagnosticsEngine &Diags = S.getDiagnostics();
  bool WasSilent = Diags.getSuppressAllDiagnostics();
  Diags.setSuppressAllDiagnostics(true);
  FunctionDecl *Derivative = nullptr;
  if (std::optional<BoundFunction> Record = bindFunctionEarly(S, Store, *Skipped, F))
    if (std::optional<std::vector<DerivativeParameter>> Parameters = derivativeParameters(S, *Record, Mode))
      Derivative = declareDerivative(S, *Record, Mode, *Parameters, /*Earlier=*/nullptr);
  Diags.setSuppressAllDiagnostics(WasSilent);
  IsBusy = false;
  return Declared[{F->getCanonicalDecl(), Mode}] = Derivative;
}
