//===- Differentiable.cpp - [[kernix::differentiable(forward | backward | 2)]] ------------------------------------===//
//
// Syntax, subject and diagnostics. The derivatives themselves are the IR half's.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Differentiable.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace kernix {

namespace {

class Differentiable : public DeclAttribute<&DeclAttributes::Differentiable> {
public:
  Differentiable() : DeclAttribute("differentiable", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (Subject.All->NoDiff)
      refuseBoth(S, own(Subject), name(), *Subject.All->NoDiff, "no_diff");
    else if (Subject.Function && !Subject.Bound)
      checkEffect(S, Subject);
  }

private:
  /// Without `bind`, code may still ask for derivatives of a function that it can name.
  void checkEffect(Sema &S, const FinishedSubject &Subject) const {
    const auto *Method = dyn_cast<CXXMethodDecl>(Subject.Function);
    if (isa<CXXDestructorDecl>(Subject.Function))
      warnNoEffect(S, Subject, own(Subject), name(), "is a destructor");
    else if (isa<CXXDeductionGuideDecl>(Subject.Function))
      warnNoEffect(S, Subject, own(Subject), name(), "is a deduction guide");
    else if (Method && Method->isVirtual())
      warnNoEffect(S, Subject, own(Subject), name(), "is virtual");
    else if (Subject.Function->hasAttr<CUDAGlobalAttr>())
      warnUnlessBound(S, Subject, own(Subject), name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(0, 1))
      return false;
    DifferentiableAttribute New;
    if (Arguments.size() == 0)
      return setOnce(Arguments, Record.Differentiable, std::move(New));
    if (Arguments.isInteger(0)) {
      std::optional<IntegerArgument> Order = Arguments.integer(0, 1);
      if (!Order)
        return false;
      if (!Order->Value || *Order->Value > 2) {
        Diagnostics(Arguments.sema()).error(Order->location(), "the order of 'kernix::differentiable' is 1 or 2")
            << Order->Range;
        return false;
      }
      New.Order = *Order->Value;
      return setOnce(Arguments, Record.Differentiable, std::move(New));
    }
    std::optional<unsigned> Word = Arguments.oneOf(0, {"forward", "backward"});
    if (!Word)
      return false;
    New.Forward = *Word == 0;
    New.Backward = *Word == 1;
    return setOnce(Arguments, Record.Differentiable, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Differentiable> Register("kernix-differentiable", "");

} // namespace
} // namespace kernix
