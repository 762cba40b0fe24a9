//===- Attribute.cpp - base of all attributes ---------------------------------------------------------------------===//
//
// Decides whether an attribute may stand where it was written, as far as that is known while parsing. What only the
// finished declaration shows is checked in CheckAttributes.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Attribute.h"
#include "Attributes/CodeMarks.h"
#include "Attributes/Describe.h"
#include "Attributes/Spellings.h"
#include "Attributes/StatementCalls.h"
#include "Attributes/StatementPlaces.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace kernix {

static SmallVector<const Attribute *, 32> &registered() {
  static SmallVector<const Attribute *, 32> List;
  return List;
}

llvm::ArrayRef<const Attribute *> Attribute::all() { return registered(); }

Attribute::Attribute(const char *Name, unsigned Subjects)
    : Name(Name), Subjects(Subjects), FullName(std::string("kernix::") + Name),
      Spelled{{AttributeCommonInfo::AS_CXX11, FullName.c_str()}} {
  // Any number of arguments: clang's own messages about them would not say `kernix::`.
  OptArgs = 15;
  Spellings = Spelled;
  registered().push_back(this);
}

/// The words of a Subject set: "functions, parameters and loops".
static std::string subjectNames(unsigned Subjects) {
  constexpr std::pair<unsigned, llvm::StringRef> Words[] = {
      {OnFunction, "functions"},
      {OnVariable, "constexpr function pointers"},
      {OnGlobal, "variables outside functions"},
      {OnParameter, "parameters"},
      {OnLocalVariable, "variables inside functions"},
      {OnLoop, "loops"},
      {OnCallStatement, "call statements"},
  };
  SmallVector<llvm::StringRef, 6> Names;
  for (auto [Bit, Word] : Words)
    if (Subjects & Bit)
      Names.push_back(Word);
  std::string Text;
  for (size_t I = 0; I != Names.size(); ++I) {
    if (I)
      Text += I + 1 == Names.size() ? " and " : ", ";
    Text += Names[I];
  }
  return Text;
}

static unsigned subjectOf(const Decl *D) {
  if (isa<FunctionDecl>(D))
    return OnFunction;
  if (isa<ParmVarDecl>(D))
    return OnParameter;
  const auto *Variable = dyn_cast<VarDecl>(D);
  if (!Variable)
    return 0;
  return Variable->isLocalVarDecl() || Variable->isExceptionVariable() ? OnLocalVariable : OnVariable | OnGlobal;
}

static unsigned subjectOf(const Stmt *Statement) {
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Statement))
    return OnLoop;
  return isa<Expr>(Statement) ? OnCallStatement : 0;
}

bool Attribute::checkUse(Sema &S, SourceRange Range) const {
  // What the store holds is not part of the AST and would be lost silently.
  if (S.TUKind == TU_Complete && !S.getLangOpts().isCompilingModule())
    return true;
  Diagnostics(S).error(Range.getBegin(), "'%0' cannot be kept in a %select{precompiled header|module|interactive "
                                         "session}1")
      << FullName
      << (S.TUKind == TU_Prefix        ? 0
          : S.TUKind == TU_Incremental ? 2
                                       : 1)
      << Range;
  return false;
}

ParsedAttrInfo::AttrHandling Attribute::handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Written) const {
  SourceRange Range = handledRange(Written.getRange());
  if (!checkUse(S, Range))
    return AttributeNotApplied;
  if (!(subjectOf(D) & Subjects)) {
    Diagnostics(S).error(Range.getBegin(), "'%0' cannot be applied to %1; it applies to %2")
        << FullName << describe(D) << subjectNames(Subjects) << Range;
    return AttributeNotApplied;
  }
  WrittenArguments Arguments(S, Written, Name, Range);
  AttributeStore &Store = AttributeStore::get(S.Context);
  bool Applied = apply(Arguments, Store.written(D));
  if (Applied)
    markWhereWritten(S, *D, name());
  if (isLambdaCallOperator(dyn_cast<DeclContext>(D)))
    Store.Lambdas.push_back(D);
  return Applied ? AttributeApplied : AttributeNotApplied;
}

ParsedAttrInfo::AttrHandling Attribute::handleStmtAttribute(Sema &S, Stmt *Statement, const ParsedAttr &Written,
                                                            Attr *&Result) const {
  SourceRange Range = handledRange(Written.getRange());
  if (!checkUse(S, Range))
    return AttributeNotApplied;
  if (!(subjectOf(Statement) & Subjects)) {
    Diagnostics(S).error(Range.getBegin(), "'%0' cannot be applied to %1; it applies to %2")
        << FullName << describe(Statement) << subjectNames(Subjects) << Range;
    return AttributeNotApplied;
  }
  if (isa<Expr>(Statement) && !mayCallForNumbers(*Statement)) {
    Diagnostics(S).error(Range.getBegin(),
                         "'%0' speaks of the calls in a statement, and this one has none that gives or "
                         "writes numbers; write it on the variable that takes the value")
        << FullName << Range;
    return AttributeNotApplied;
  }
  WrittenArguments Arguments(S, Written, Name, Range);
  FunctionDecl *Function = S.getCurFunctionDecl(/*AllowLambda=*/true);
  AttributeStore &Store = AttributeStore::get(S.Context);
  bool Applied = apply(Arguments, Store.written(Statement, Function));
  if (Function)
    keepStatementPlaces(*Function, Store);
  return Applied ? AttributeApplied : AttributeNotApplied;
}

} // namespace kernix
