//===- MacroStatements.cpp - attributes of statements that a macro makes ------------------------------------------===//

#include "Attributes/MacroStatements.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace clang;
using namespace kernix;

namespace {

/// No code, or none that takes or gives a number: `threadIdx.x`, `__syncthreads()`, `float3 sum;`.
bool isWithoutNumbers(const Expr &E) {
  if (const auto *Construction = dyn_cast<CXXConstructExpr>(&E))
    return Construction->getConstructor()->isTrivial();
  const auto &Call = cast<CallExpr>(E);
  return Call.getNumArgs() == 0 && !isa<CXXMemberCallExpr>(Call) && !Call.isTypeDependent() &&
         (Call.getType()->isVoidType() || Call.getType()->isIntegralOrEnumerationType());
}

/// The loops and calls that macros make, by where the macro is used.
class MacroCode : public RecursiveASTVisitor<MacroCode> {
public:
  explicit MacroCode(Sema &S) : Sources(S.getSourceManager()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitCallExpr(CallExpr *Call) { return addCall(*Call); }
  bool VisitCXXConstructExpr(CXXConstructExpr *Call) { return addCall(*Call); }
  bool VisitForStmt(ForStmt *Loop) { return addLoop(*Loop); }
  bool VisitWhileStmt(WhileStmt *Loop) { return addLoop(*Loop); }
  bool VisitDoStmt(DoStmt *Loop) { return addLoop(*Loop); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *Loop) { return addLoop(*Loop); }

  llvm::DenseMap<SourceLocation, SmallVector<SourceLocation, 4>> Calls;
  llvm::DenseMap<SourceLocation, SmallVector<const Stmt *, 4>> Loops;

private:
  bool addCall(const Expr &Call) {
    if (SourceLocation Loc = Call.getExprLoc(); Loc.isMacroID() && !isWithoutNumbers(Call))
      Calls[Sources.getExpansionLoc(Loc)].push_back(Loc);
    return true;
  }
  bool addLoop(const Stmt &Loop) {
    if (SourceLocation Loc = Loop.getBeginLoc(); Loc.isMacroID())
      Loops[Sources.getExpansionLoc(Loc)].push_back(&Loop);
    return true;
  }

  const SourceManager &Sources;
};

class Checker {
public:
  Checker(Sema &S, AttributeStore &Store)
      : S(S), Sources(S.getSourceManager()), Store(Store), All(Store.allStatements()), Code(S) {}

  void run() {
    if (llvm::none_of(All, [](const StmtAttributes *Each) { return Each->Statement->getBeginLoc().isMacroID(); }))
      return;
    Code.TraverseDecl(S.getASTContext().getTranslationUnitDecl());
    llvm::SmallSet<SourceLocation, 8> Marked;
    for (const StmtAttributes *Each : All)
      if (Each->NoDiff)
        forEachCall(Each->Statement, [&](const Expr &Call) { Marked.insert(Call.getExprLoc()); });
    for (const StmtAttributes *Each : All)
      if (Each->NoDiff)
        checkCalls(*Each, Marked);
      else
        checkLoops(*Each);
  }

private:
  template <class F> static void forEachCall(const Stmt *Statement, F Do) {
    if (!Statement)
      return;
    if (isa<CallExpr, CXXConstructExpr>(Statement))
      Do(*cast<Expr>(Statement));
    for (const Stmt *Child : Statement->children())
      forEachCall(Child, Do);
  }

  void checkCalls(const StmtAttributes &Own, const llvm::SmallSet<SourceLocation, 8> &Marked) {
    SourceLocation Other;
    forEachCall(Own.Statement, [&](const Expr &Call) {
      if (SourceLocation Loc = Call.getExprLoc(); Loc.isMacroID())
        for (SourceLocation Found : Code.Calls.lookup(Sources.getExpansionLoc(Loc)))
          if (Other.isInvalid() && !Marked.contains(Found))
            Other = Found;
    });
    if (Other.isInvalid())
      return;
    Diagnostics Diag(S);
    Diag.error(Own.Statement->getBeginLoc(), "'kernix::no_diff' on this statement would hold for all calls of the "
                                             "macro; write it on a variable that takes the value")
        << Own.Statement->getSourceRange();
    Diag.note(Other, "another call of the macro is here");
  }

  /// What an attribute of one says, all have to say.
  void checkLoops(const StmtAttributes &Own) {
    SourceLocation Loc = Own.Statement->getBeginLoc();
    if (!Loc.isMacroID())
      return;
    for (const Stmt *Loop : Code.Loops.lookup(Sources.getExpansionLoc(Loc))) {
      const StmtAttributes *Other = Store.lookup(Loop);
      bool IsSame = Other && Other->MaxIters.has_value() == Own.MaxIters.has_value() &&
                    (!Own.MaxIters || Own.MaxIters->Count.Value == Other->MaxIters->Count.Value) &&
                    Other->Recompute.has_value() == Own.Recompute.has_value() &&
                    Other->Store.has_value() == Own.Store.has_value();
      if (Loop->getBeginLoc() == Loc || IsSame)
        continue;
      Diagnostics Diag(S);
      Diag.error(Loc, "'kernix::%0' on this loop would hold for all loops of the macro; write one of them in a "
                      "function of its own, outside of the macro, or the same on all of them")
          << (Own.MaxIters    ? "max_iters"
              : Own.Recompute ? "recompute"
                              : "store")
          << Own.Statement->getSourceRange();
      Diag.note(Loop->getBeginLoc(), "another loop of the macro is here");
      return;
    }
  }

  Sema &S;
  const SourceManager &Sources;
  AttributeStore &Store;
  SmallVector<const StmtAttributes *, 0> All;
  MacroCode Code;
};

} // namespace

void kernix::checkMacroStatements(Sema &S, AttributeStore &Store) { Checker(S, Store).run(); }
