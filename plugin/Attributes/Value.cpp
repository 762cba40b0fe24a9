//===- Value.cpp - [[kernix::value("expression")]] ----------------------------------------------------------------===//
//
// Syntax and diagnostics. The expression is parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Value.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace kernix {

namespace {

class Value : public DeclAttribute<&DeclAttributes::Value> {
public:
  Value() : DeclAttribute("value", OnParameter) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const ValueAttribute &Own = own(Subject);
    QualType Type = cast<ParmVarDecl>(Subject.Written)->getType().getNonReferenceType();
    if (!Type->isDependentType() && (!Type->isIntegerType() || Type->isBooleanType())) {
      Diagnostics(S).error(Own.location(), "'kernix::value' computes an integer, but the parameter has type %0")
          << Type << Own.Range;
      return;
    }
    const DeclAttributes &All = *Subject.All;
    if (All.Optional)
      return refuseBoth(S, Own, name(), *All.Optional, "optional");
    if (All.Intent && All.Intent->Kind != IntentKind::In)
      return refuseBoth(S, Own, name(), *All.Intent, "intent");
    if (All.Diff)
      return refuseBoth(S, Own, name(), *All.Diff, "diff");
    warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 1))
      return false;
    std::optional<StringArgument> Expression = Arguments.string(0);
    if (!Expression)
      return false;
    ValueAttribute New;
    New.Expression = std::move(*Expression);
    return setOnce(Arguments, Record.Value, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Value> Register("kernix-value", "");

} // namespace
} // namespace kernix
