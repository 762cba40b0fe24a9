//===- StatementPlaces.cpp - statements that cannot be told apart by their place ----------------------------------===//

#include "Attributes/StatementPlaces.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "FileHash.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallSet.h"
#include <map>
#include <tuple>

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

/// Where the IR half finds a statement: a file, as far as its name says which, a line and a column.
using Place = std::tuple<int64_t, unsigned, unsigned>;

Place placeOf(SourceLocation Loc, const SourceManager &Sources) {
  PresumedLoc Where = Sources.getPresumedLoc(Sources.getExpansionLoc(Loc));
  if (Where.isInvalid())
    return {};
  return {hashOfFile(Where.getFilename()), Where.getLine(), Where.getColumn()};
}

/// The loops and calls at some places.
class CodeAtPlaces : public DynamicRecursiveASTVisitor {
public:
  explicit CodeAtPlaces(const SourceManager &Sources) : Sources(Sources) {
    ShouldVisitTemplateInstantiations = ShouldVisitImplicitCode = true;
  }

  bool VisitCallExpr(CallExpr *Call) override { return addCall(*Call); }
  bool VisitCXXConstructExpr(CXXConstructExpr *Call) override { return addCall(*Call); }
  bool VisitForStmt(ForStmt *Loop) override { return addLoop(*Loop); }
  bool VisitWhileStmt(WhileStmt *Loop) override { return addLoop(*Loop); }
  bool VisitDoStmt(DoStmt *Loop) override { return addLoop(*Loop); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *Loop) override { return addLoop(*Loop); }

  std::map<Place, SmallVector<SourceLocation, 4>> Calls;
  std::map<Place, SmallVector<const Stmt *, 4>> Loops;

private:
  bool addCall(const Expr &Call) {
    if (auto Found = Calls.find(placeOf(Call.getExprLoc(), Sources)); Found != Calls.end() && !isWithoutNumbers(Call))
      Found->second.push_back(Call.getExprLoc());
    return true;
  }
  bool addLoop(const Stmt &Loop) {
    if (auto Found = Loops.find(placeOf(Loop.getBeginLoc(), Sources)); Found != Loops.end())
      Found->second.push_back(&Loop);
    return true;
  }

  const SourceManager &Sources;
};

class Checker {
public:
  Checker(Sema &S, AttributeStore &Store)
      : S(S), Sources(S.getSourceManager()), Store(Store), All(Store.allStatements()), Code(Sources) {}

  void run() {
    llvm::SmallSet<SourceLocation, 8> Marked;
    for (const StmtAttributes *Each : All)
      if (Each->NoDiff)
        forEachCall(Each->Statement, [&](const Expr &Call) {
          Marked.insert(Call.getExprLoc());
          Code.Calls[placeOf(Call.getExprLoc(), Sources)];
        });
      else
        Code.Loops[placeOf(Each->Statement->getBeginLoc(), Sources)];
    if (All.empty())
      return;
    Code.TraverseDecl(S.getASTContext().getTranslationUnitDecl());
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
      for (SourceLocation Found : Code.Calls[placeOf(Call.getExprLoc(), Sources)])
        if (Other.isInvalid() && !Marked.contains(Found))
          Other = Found;
    });
    if (Other.isInvalid())
      return;
    Diagnostics Diag(S);
    Diag.error(Own.Statement->getBeginLoc(), "'kernix::no_diff' on this statement would hold for other calls, too, "
                                             "which a macro or a second inclusion puts at its place; write it on a "
                                             "variable that takes the value")
        << Own.Statement->getSourceRange();
    Diag.note(Other, "such a call is here");
  }

  /// What an attribute of one says, all have to say.
  void checkLoops(const StmtAttributes &Own) {
    SourceLocation Loc = Own.Statement->getBeginLoc();
    for (const Stmt *Loop : Code.Loops[placeOf(Loc, Sources)]) {
      const StmtAttributes *Other = Store.lookup(Loop);
      bool IsSame = Other && Other->MaxIters.has_value() == Own.MaxIters.has_value() &&
                    (!Own.MaxIters || Own.MaxIters->Count.Value == Other->MaxIters->Count.Value) &&
                    Other->Recompute.has_value() == Own.Recompute.has_value() &&
                    Other->Store.has_value() == Own.Store.has_value();
      if (Loop->getBeginLoc() == Loc || IsSame)
        continue;
      Diagnostics Diag(S);
      Diag.error(Loc, "'kernix::%0' on this loop would hold for other loops, too, which a macro or a second inclusion "
                      "puts at its place; write the same on all of them, or this loop in a function of its own")
          << (Own.MaxIters    ? "max_iters"
              : Own.Recompute ? "recompute"
                              : "store")
          << Own.Statement->getSourceRange();
      Diag.note(Loop->getBeginLoc(), "such a loop is here");
      return;
    }
  }

  Sema &S;
  const SourceManager &Sources;
  AttributeStore &Store;
  SmallVector<const StmtAttributes *, 0> All;
  CodeAtPlaces Code;
};

} // namespace

void kernix::checkStatementPlaces(Sema &S, AttributeStore &Store) { Checker(S, Store).run(); }
