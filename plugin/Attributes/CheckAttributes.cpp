//===- CheckAttributes.cpp - the checks at the end of a translation unit ------------------------------------------===//
//
// Gathers for each annotated declaration what its attributes need to know and lets them check it. The checks themselves
// are in the attributes' files.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Attribute.h"
#include "Attributes/Attributes.h"
#include "Attributes/BoundVariable.h"
#include "Attributes/Describe.h"
#include "Attributes/Spellings.h"
#include "Attributes/StatementCalls.h"
#include "Attributes/StatementPlaces.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace kernix {
namespace {

/// One attribute on one declaration.
struct Use {
  const Decl *On;
  const DeclAttributes *Own;
  const Attribute *Kind;
  SourceLocation Location;
  /// One attribute may stand on several declarations: `[[kernix::no_diff]] float a, b;`.
  size_t Order;
  bool External;
};

class Checker {
public:
  Checker(Sema &S, AttributeStore &Store) : S(S), Store(Store) {}

  void run() {
    auto Written = Store.allWritten();
    for (auto [D, Own] : Written)
      if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && Own->Bind)
        if (const FunctionDecl *Function = functionOf(*Variable))
          for (; Function; Function = Function->getTemplateInstantiationPattern()) {
            BoundBy.insert(Function->getCanonicalDecl());
            if (Own->Differentiable)
              DifferentiableBy.insert(Function->getCanonicalDecl());
          }
    // A template as soon as one of its specializations is.
    for (auto [D, Own] : Written)
      for (const auto *Function = dyn_cast<FunctionDecl>(D); Function && Own->Differentiable;
           Function = Function->getTemplateInstantiationPattern())
        DifferentiableBy.insert(Function->getCanonicalDecl());
    for (auto [D, Own] : Written)
      for (const auto *Named : {&Own->ForwardDerivative, &Own->BackwardDerivative})
        if (*Named)
          for (NamedDecl *Rule : functionsNamedBy((*Named)->Function))
            if (const FunctionDecl *Function = Rule->getAsFunction())
              Derivatives.insert(Function->getCanonicalDecl());
    SmallVector<Use, 0> Uses;
    for (auto [D, Own] : Written)
      if (!D->isInvalidDecl())
        for (const Attribute *Kind : Attribute::all())
          if (const AttributeBase *Found = Kind->find(*Own))
            Uses.push_back({D, Own, Kind, Found->location(), Uses.size(), Found->External});
    llvm::sort(Uses, [&](const Use &A, const Use &B) {
      // The YAML file comes last; its places cannot be compared with those of the source.
      if (A.External || B.External || A.Location == B.Location)
        return std::pair(A.External, A.Order) < std::pair(B.External, B.Order);
      return S.getSourceManager().isBeforeInTranslationUnit(A.Location, B.Location);
    });
    for (const Use &Each : Uses)
      check(Each);
    for (const StmtAttributes *Each : Store.allStatements()) {
      warnUnlessDifferentiated(Each->MaxIters, "max_iters", Each->Function);
      warnUnlessDifferentiated(Each->NoDiff, "no_diff", Each->Function);
      warnUnlessDifferentiated(Each->Recompute, "recompute", Each->Function);
      warnUnlessDifferentiated(Each->Store, "store", Each->Function);
    }
  }

private:
  void check(const Use &Each) {
    FinishedSubject Subject;
    Subject.Written = Each.On;
    Subject.Own = Each.Own;
    if (const auto *Parameter = dyn_cast<ParmVarDecl>(Each.On)) {
      if (!checkOwner(Each, *Parameter))
        return;
      Subject.Function = cast<FunctionDecl>(Parameter->getDeclContext());
      Subject.All = Store.lookup(Parameter);
    } else if (const auto *Variable = dyn_cast<VarDecl>(Each.On)) {
      Subject.All = Store.lookup(Variable);
      if (!Variable->isLocalVarDecl() && !Variable->isExceptionVariable()) {
        if (!checkBindsToo(Each, *Subject.All))
          return;
        Subject.Function = functionOf(*Variable);
      }
    } else {
      Subject.Function = cast<FunctionDecl>(Each.On);
      Subject.All = Store.lookup(Subject.Function);
    }
    if (!Subject.All || (Subject.Function && Subject.Function->isInvalidDecl()))
      return;
    Subject.FunctionAttributes =
        isa<FunctionDecl>(Each.On) || isa<ParmVarDecl>(Each.On) ? Store.lookup(Subject.Function) : Subject.All;
    Subject.Bound = (Subject.FunctionAttributes && Subject.FunctionAttributes->Bind) ||
                    (Subject.Function && (BoundBy.contains(Subject.Function->getCanonicalDecl()) ||
                                          Derivatives.contains(Subject.Function->getCanonicalDecl())));
    const DeclAttributes *OfFunction = Subject.Function ? Store.lookup(Subject.Function) : nullptr;
    Subject.IsDifferentiable = (OfFunction && OfFunction->Differentiable) ||
                               (Subject.FunctionAttributes && Subject.FunctionAttributes->Differentiable) ||
                               (Subject.Function && DifferentiableBy.contains(Subject.Function->getCanonicalDecl()));
    Each.Kind->check(S, Subject);
    if (const auto *Variable = dyn_cast<VarDecl>(Each.On); Variable && Variable->isLocalVarDecl())
      warnUnlessDifferentiated(*Each.Kind->find(*Each.Own), Each.Kind->name(),
                               dyn_cast<FunctionDecl>(Variable->getDeclContext()));
  }

  /// What stands in the body of a kernel speaks of its derivatives. A device function may have some elsewhere.
  void warnUnlessDifferentiated(const AttributeBase &Own, llvm::StringRef Name, const FunctionDecl *Around) {
    if (!Around || !Around->hasAttr<CUDAGlobalAttr>() || DifferentiableBy.contains(Around->getCanonicalDecl()))
      return;
    const DeclAttributes *OfKernel = Store.lookup(Around);
    if (OfKernel && OfKernel->Differentiable)
      return;
    Diagnostics(S).warning(WarningGroup::NoEffect, Own.location(),
                           "'kernix::%0' has no effect: %1 is not differentiable")
        << Name << Around << Own.Range;
  }
  template <class T>
  void warnUnlessDifferentiated(const std::optional<T> &Own, llvm::StringRef Name, const FunctionDecl *Around) {
    if (Own)
      warnUnlessDifferentiated(*Own, Name, Around);
  }

  /// A parameter may belong to a function type, a requires expression or a lambda; no_diff may stand on a lambda's.
  bool checkOwner(const Use &Each, const ParmVarDecl &Parameter) {
    const auto *Function = dyn_cast<FunctionDecl>(Parameter.getDeclContext());
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Function);
    bool OfLambda = Method && Method->getParent()->isLambda();
    if (Function && !isa<CXXDeductionGuideDecl>(Function) && (!OfLambda || Each.Kind->name() == "no_diff"))
      return true;
    Diagnostics(S).error(Each.Location, "'kernix::%0' applies to parameters of functions, and this is one of a "
                                        "%select{function type|lambda|deduction guide}1")
        << Each.Kind->name()
        << (!Function  ? 0
            : OfLambda ? 1
                       : 2)
        << Each.Kind->find(*Each.Own)->Range;
    return false;
  }

  /// Attributes of functions mean the function that the variable binds.
  bool checkBindsToo(const Use &Each, const DeclAttributes &All) {
    if (All.Bind || Each.Kind->name() == "no_diff")
      return true;
    Diagnostics(S).error(Each.Location, "'kernix::%0' on a variable needs 'kernix::bind' beside it: it speaks of the "
                                        "function that the variable binds")
        << Each.Kind->name() << Each.Kind->find(*Each.Own)->Range;
    return false;
  }

  Sema &S;
  AttributeStore &Store;
  /// Functions bound by variables, and the attributes of the first such variable.
  llvm::SmallPtrSet<const FunctionDecl *, 4> BoundBy, DifferentiableBy;
  /// Functions that others name as their derivative, as which they are called.
  llvm::SmallPtrSet<const FunctionDecl *, 4> Derivatives;
};

} // namespace

void beginAttributes(CompilerInstance &CI) { beginSpellings(CI); }

void watchAttributes(Preprocessor &PP) { watchSpellings(PP); }

void checkAttributes(Sema &S, AttributeStore &Store) {
  if (!Store.empty()) {
    Store.checkAgreement(S);
    Checker(S, Store).run();
    checkStatementPlaces(S, Store);
    checkStatementCalls(S, Store);
  }
  checkAllHandled(S);
}

} // namespace kernix
