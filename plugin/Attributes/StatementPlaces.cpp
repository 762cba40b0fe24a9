//===- StatementPlaces.cpp - where the IR half finds annotated statements -----------------------------------------===//

#include "Attributes/StatementPlaces.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "FileHash.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/Path.h"
#include <map>

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

/// The greatest column that a debug location has room for: places to the right of it have none.
constexpr unsigned MostColumns = 65535;

bool isLoop(const Stmt &Statement) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Statement); }

/// The loops and calls at some places.
class CodeAtPlaces : public DynamicRecursiveASTVisitor {
public:
  CodeAtPlaces(const SourceManager &Sources, const AttributeStore &Store) : Sources(Sources), Store(Store) {
    ShouldVisitTemplateInstantiations = ShouldVisitImplicitCode = true;
  }

  bool VisitCallExpr(CallExpr *Call) override { return addCall(*Call); }
  bool VisitCXXConstructExpr(CXXConstructExpr *Call) override { return addCall(*Call); }
  bool VisitForStmt(ForStmt *Loop) override { return addLoop(*Loop); }
  bool VisitWhileStmt(WhileStmt *Loop) override { return addLoop(*Loop); }
  bool VisitDoStmt(DoStmt *Loop) override { return addLoop(*Loop); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *Loop) override { return addLoop(*Loop); }

  std::map<StatementPlace, SmallVector<SourceLocation, 4>> Calls;
  std::map<StatementPlace, SmallVector<const Stmt *, 4>> Loops;

private:
  bool addCall(const Expr &Call) {
    if (auto Found = Calls.find(placeOf(Call.getExprLoc())); Found != Calls.end() && !isWithoutNumbers(Call))
      Found->second.push_back(Call.getExprLoc());
    return true;
  }
  bool addLoop(const Stmt &Loop) {
    if (auto Found = Loops.find(placeOf(Loop.getBeginLoc())); Found != Loops.end())
      Found->second.push_back(&Loop);
    return true;
  }
  StatementPlace placeOf(SourceLocation Loc) const { return placeInCode(Loc, Sources, Store); }

  const SourceManager &Sources;
  const AttributeStore &Store;
};

class Checker {
public:
  Checker(Sema &S, AttributeStore &Store)
      : S(S), Sources(S.getSourceManager()), Store(Store), All(Store.allStatements()), Code(Sources, Store) {}

  void run() {
    llvm::SmallSet<SourceLocation, 8> Marked;
    for (const StmtAttributes *Each : All)
      if (Each->NoDiff)
        forEachCall(Each->Statement, [&](const Expr &Call) {
          Marked.insert(Call.getExprLoc());
          Code.Calls[placeOf(Call.getExprLoc())];
        });
      else
        Code.Loops[placeOf(Each->Statement->getBeginLoc())];
    checkHavePlaces();
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

  StatementPlace placeOf(SourceLocation Loc) const { return placeInCode(Loc, Sources, Store); }

  /// Lines that a program has written may be longer than debug locations allow for.
  void checkHavePlaces() {
    for (const StmtAttributes *Each : All)
      if (Each->NoDiff)
        forEachCall(Each->Statement, [&](const Expr &Call) { checkColumn(Call.getExprLoc(), "no_diff"); });
      else
        checkColumn(Each->Statement->getBeginLoc(), nameOf(*Each));
    for (const auto &[D, Attributes] : Store.allWritten())
      if (const auto *Function = dyn_cast<FunctionDecl>(D); Function && (Attributes->Recompute || Attributes->Store)) {
        StringRef Name = Attributes->Store ? "store" : "recompute";
        SmallVector<const Stmt *, 4> Loops = loopsWithoutAttribute(*Function, Store);
        for (const Stmt *Loop : Loops)
          checkColumn(Loop->getBeginLoc(), Name);
        if (!Loops.empty() && Attributes->Store)
          checkHasPlaces(*Function, *Attributes->Store, Name);
        else if (!Loops.empty())
          checkHasPlaces(*Function, *Attributes->Recompute, Name);
      }
  }

  /// A declaration behind the definition, which may be compiled by now.
  void checkHasPlaces(const FunctionDecl &Function, const AttributeBase &Own, StringRef Attribute) {
    const FunctionDecl *Definition = nullptr;
    if (!Function.isDefined(Definition) || !Definition->hasAttr<NoDebugAttr>())
      return;
    Diagnostics(S).error(Own.location(), "'kernix::%0' comes too late for the loops of %1, which is defined with "
                                         "'nodebug' before; write it on the definition")
        << Attribute << &Function << Own.Range;
  }

  void checkColumn(SourceLocation Loc, StringRef Attribute) {
    if (placeOf(Loc).Column > MostColumns)
      Diagnostics(S).error(Loc, "'kernix::%0' cannot speak of what stands here, behind column %1 of its line; write "
                                "shorter lines")
          << Attribute << MostColumns;
  }

  static StringRef nameOf(const StmtAttributes &OfLoop) {
    return OfLoop.MaxIters ? "max_iters" : OfLoop.Recompute ? "recompute" : "store";
  }

  void checkCalls(const StmtAttributes &Own, const llvm::SmallSet<SourceLocation, 8> &Marked) {
    SourceLocation Other;
    forEachCall(Own.Statement, [&](const Expr &Call) {
      for (SourceLocation Found : Code.Calls[placeOf(Call.getExprLoc())])
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
    for (const Stmt *Loop : Code.Loops[placeOf(Loc)]) {
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
          << nameOf(Own) << Own.Statement->getSourceRange();
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

StatementPlace kernix::placeInCode(SourceLocation Loc, const SourceManager &Sources, const AttributeStore &Store) {
  // What a macro takes as an argument is where it is written, all else where the macro is used.
  PresumedLoc Where = Sources.getPresumedLoc(Sources.getFileLoc(Loc));
  if (Where.isInvalid())
    return {};
  SmallString<128> Name(Where.getFilename());
  for (const auto &[From, To] : llvm::reverse(Store.DebugPrefixMap))
    if (llvm::sys::path::replace_path_prefix(Name, From, To))
      break;
  return {Name.empty() ? 0 : hashOfFile(Name), Where.getLine(), Where.getColumn()};
}

SmallVector<const Stmt *, 4> kernix::loopsWithoutAttribute(const FunctionDecl &Function, AttributeStore &Store) {
  SmallVector<const Stmt *, 4> Found;
  const FunctionDecl *Definition = nullptr;
  if (!Function.isDefined(Definition))
    return Found;
  SmallVector<const Stmt *, 16> Work = {Definition->getBody()};
  while (!Work.empty()) {
    const Stmt *Statement = Work.pop_back_val();
    if (!Statement)
      continue;
    append_range(Work, Statement->children());
    const StmtAttributes *Own = Store.lookup(Statement);
    if (isLoop(*Statement) && !(Own && (Own->MaxIters || Own->Recompute || Own->Store)))
      Found.push_back(Statement);
  }
  return Found;
}

void kernix::keepStatementPlaces(Decl &D, AttributeStore &Store) {
  auto *Function = dyn_cast<FunctionDecl>(&D);
  if (!Function || !Function->hasAttr<NoDebugAttr>())
    return;
  const DeclAttributes *Own = Store.lookup(Function);
  if ((Own && (Own->Recompute || Own->Store)) || !Store.statementsIn(Function).empty())
    Function->dropAttr<NoDebugAttr>();
}

void kernix::checkStatementPlaces(Sema &S, AttributeStore &Store) { Checker(S, Store).run(); }
