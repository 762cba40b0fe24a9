//===- Optional.cpp - [[kernix::optional]] ------------------------------------------------------------------------===//
//
// Syntax and diagnostics.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Optional.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

namespace {

class OptionalTensor : public DeclAttribute<&DeclAttributes::Optional> {
public:
  OptionalTensor() : DeclAttribute("optional", OnParameter) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const OptionalAttribute &Own = own(Subject);
    if (!checkTensor(S, Subject, Own, name()))
      return;
    const DeclAttributes &All = *Subject.All;
    if (All.Intent && (All.Intent->Kind == IntentKind::OutReturn || All.Intent->Kind == IntentKind::OutArrayReturn))
      return refuseBoth(S, Own, name(), *All.Intent, "intent");
    warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    return Arguments.count(0, 0) && setOnce(Arguments, Record.Optional, OptionalAttribute());
  }
};

ParsedAttrInfoRegistry::Add<OptionalTensor> Register("kernix-optional", "");

} // namespace
} // namespace kernix
