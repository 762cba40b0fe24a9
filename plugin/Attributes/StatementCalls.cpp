//===- StatementCalls.cpp - the calls that an attribute on a statement speaks of ----------------------------------===//

#include "Attributes/StatementCalls.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallSet.h"

using namespace clang;
using namespace kernix;

namespace {

bool isInteger(const Expr &E) { return !E.isTypeDependent() && E.getType()->isIntegralOrEnumerationType(); }

/// What types decide.
bool mayBecomeCall(const Stmt &Statement) {
  if (isa<CXXUnresolvedConstructExpr>(Statement))
    return true;
  const auto *E = dyn_cast<Expr>(&Statement);
  return E && E->isTypeDependent() &&
         isa<CallExpr, BinaryOperator, UnaryOperator, ArraySubscriptExpr, CXXFoldExpr, ExplicitCastExpr>(E);
}

/// In what serves as an integer, as an index does, integers that are given are no bits of numbers.
bool isOfIntegers(const CallExpr &Call) {
  return Call.getDirectCallee() && !isa<CXXMemberCallExpr, CXXOperatorCallExpr>(Call) && isInteger(Call) &&
         llvm::all_of(Call.arguments(), [](const Expr *Argument) { return isInteger(*Argument); });
}

bool findCall(const Stmt *Statement, bool IsInteger) {
  if (!Statement || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr, RequiresExpr>(Statement))
    return false; // not evaluated
  if (const auto *Property = dyn_cast<PseudoObjectExpr>(Statement); Property && isInteger(*Property))
    return false;
  if (const auto *Lambda = dyn_cast<LambdaExpr>(Statement))
    return llvm::any_of(Lambda->capture_inits(), [](const Expr *Captured) { return findCall(Captured, false); });
  if (mayBecomeCall(*Statement))
    return true;
  if (const auto *Construction = dyn_cast<CXXConstructExpr>(Statement);
      Construction && !Construction->getConstructor()->isTrivial())
    return true;
  if (const auto *Call = dyn_cast<CallExpr>(Statement); Call && !(IsInteger && isOfIntegers(*Call)))
    return true;
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Statement))
    return findCall(Element->getBase(), false) || findCall(Element->getIdx(), true);
  if (const auto *Cast = dyn_cast<CastExpr>(Statement); Cast && Cast->getCastKind() == CK_IntegralToFloating)
    return findCall(Cast->getSubExpr(), true);
  return llvm::any_of(Statement->children(), [&](const Stmt *Child) { return findCall(Child, IsInteger); });
}

class Instances : public DynamicRecursiveASTVisitor {
public:
  Instances(Sema &S, AttributeStore &Store) : S(S), Store(Store) {
    ShouldVisitTemplateInstantiations = ShouldVisitImplicitCode = true;
  }

  bool VisitFunctionDecl(FunctionDecl *Function) override {
    if (Function->hasBody() && !Function->isDependentContext() && Function->getTemplateInstantiationPattern())
      check(Function->getBody(), /*IsWhole=*/true, *Function);
    return true;
  }

private:
  /// A part of a statement may begin where that does.
  void check(const Stmt *Statement, bool IsWhole, const FunctionDecl &Function) {
    if (!Statement)
      return;
    const bool IsExpression = isa<Expr>(Statement);
    if (const StmtAttributes *Own = IsWhole && IsExpression ? Store.lookup(Statement) : nullptr;
        Own && Own->NoDiff && !mayCallForNumbers(*Statement))
      report(*Own->NoDiff, Function);
    for (const Stmt *Child : Statement->children())
      check(Child, !IsExpression, Function);
  }

  void report(const NoDiffAttribute &Own, const FunctionDecl &Function) {
    if (!Reported.insert(Own.location()).second)
      return;
    Diagnostics Diag(S);
    Diag.error(Own.location(),
               "'kernix::no_diff' speaks of the calls in a statement, and in %0 this one has none; write "
               "it on the variable that takes the value")
        << &Function << Own.Range;
    if (SourceLocation Loc = Function.getPointOfInstantiation(); Loc.isValid())
      Diag.note(Loc, "%0 is instantiated here") << &Function;
  }

  Sema &S;
  AttributeStore &Store;
  llvm::SmallSet<SourceLocation, 4> Reported;
};

} // namespace

bool kernix::mayCallForNumbers(const Stmt &Statement) { return findCall(&Statement, /*IsInteger=*/false); }

void kernix::checkStatementCalls(Sema &S, AttributeStore &Store) {
  if (llvm::any_of(Store.allStatements(), [](const StmtAttributes *Each) {
        const auto *E = dyn_cast<Expr>(Each->Statement);
        return E && Each->NoDiff && E->isInstantiationDependent();
      }))
    Instances(S, Store).TraverseDecl(S.getASTContext().getTranslationUnitDecl());
}
