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

class NoDiff : public DeclAttribute<&DeclAttributes::NoDiff> {
public:
  NoDiff() : DeclAttribute("no_diff", OnFunction | OnParameter | OnLocalVariable | OnGlobal | OnCallStatement) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
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
    return Arguments.count(0, 0) && setOnce(Arguments, Record.NoDiff, NoDiffAttribute());
  }
};

ParsedAttrInfoRegistry::Add<NoDiff> Register("kernix-no_diff", "");

} // namespace
} // namespace kernix
