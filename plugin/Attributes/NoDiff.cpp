//===- NoDiff.cpp - [[kernix::no_diff]] ---------------------------------------------------------------------------===//
//
// Syntax and diagnostics. Contradictions with diff and differentiable are reported by those.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/NoDiff.h"
#include "Attributes/Attribute.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace kernix {

namespace {

bool isShared(const Decl &D) { return D.hasAttr<CUDASharedAttr>(); }

bool namesShared(const Stmt *Statement) {
  const auto *Name = llvm::dyn_cast_or_null<DeclRefExpr>(Statement);
  return Statement && ((Name && isShared(*Name->getDecl())) || llvm::any_of(Statement->children(), namesShared));
}

/// To numbers, as far as that is known: what is behind it has a derivative.
bool leadsToNumbers(QualType T) {
  if (!T->isReferenceType() && !T->isPointerType())
    return false;
  QualType Pointee = T->getPointeeType();
  return !Pointee->isIntegralOrEnumerationType() && !Pointee->isVoidType() && !Pointee->isFunctionType();
}

/// A call in Statement through whose result numbers are read.
const CallExpr *callThatIsReadThrough(const Stmt *Statement) {
  if (!Statement)
    return nullptr;
  if (const auto *Read = dyn_cast<ImplicitCastExpr>(Statement);
      Read && Read->getCastKind() == CK_LValueToRValue && !Read->getType()->isIntegralOrEnumerationType()) {
    const Expr *Place = Read->getSubExpr()->IgnoreParenImpCasts();
    while (const auto *Member = dyn_cast<MemberExpr>(Place))
      Place = Member->getBase()->IgnoreParenImpCasts();
    if (const auto *Dereference = dyn_cast<UnaryOperator>(Place))
      Place = Dereference->getSubExpr()->IgnoreParenImpCasts();
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Place))
      Place = Element->getBase()->IgnoreParenImpCasts();
    if (const auto *Call = dyn_cast<CallExpr>(Place); Call && (Call->isGLValue() || Call->getType()->isPointerType()))
      return Call;
  }
  for (const Stmt *Child : Statement->children())
    if (const CallExpr *Found = callThatIsReadThrough(Child))
      return Found;
  return nullptr;
}

class NoDiff : public DeclAttribute<&DeclAttributes::NoDiff> {
public:
  NoDiff() : DeclAttribute("no_diff", OnFunction | OnParameter | OnLocalVariable | OnGlobal | OnCallStatement) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (const auto *Function = dyn_cast<FunctionDecl>(Subject.Written);
        Function && leadsToNumbers(Function->getReturnType()))
      Diagnostics(S).error(own(Subject).location(),
                           "'kernix::no_diff' cannot be applied to a function that returns a "
                           "%select{pointer|reference}0: what is read through it is not computed by the function; "
                           "write it on the variables that take the values")
          << Function->getReturnType()->isReferenceType() << own(Subject).Range;
    const auto *Variable = dyn_cast<VarDecl>(Subject.Written);
    if (!Variable || isa<ParmVarDecl>(Variable))
      return;
    bool IsReference = Variable->getType()->isReferenceType();
    if (!(IsReference ? namesShared(Variable->getInit()) : isShared(*Variable)))
      return;
    Diagnostics(S).error(own(Subject).location(),
                         "'kernix::no_diff' cannot be applied to a %select{__shared__ variable|reference to a "
                         "__shared__ variable}0; write it on a pointer through which the variable is read, or on the "
                         "variables that take its values")
        << IsReference << own(Subject).Range;
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    return Arguments.count(0, 0) && setOnce(Arguments, Record.NoDiff, NoDiffAttribute());
  }
  bool apply(WrittenArguments &Arguments, StmtAttributes &Record) const override {
    if (const CallExpr *Call = callThatIsReadThrough(Record.Statement)) {
      Diagnostics(Arguments.sema())
              .error(Call->getExprLoc(), "'kernix::no_diff' cannot be applied to this call, which gives a "
                                         "%select{pointer|reference}0: what is read through it is not computed by the "
                                         "call; write it on the variable that takes the value")
          << Call->isGLValue() << Call->getSourceRange();
      return false;
    }
    return Arguments.count(0, 0) && setOnce(Arguments, Record.NoDiff, NoDiffAttribute());
  }
};

ParsedAttrInfoRegistry::Add<NoDiff> Register("kernix-no_diff", "");

} // namespace
} // namespace kernix
