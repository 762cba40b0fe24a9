//===- MaxRegisters.cpp - [[kernix::max_registers(N)]] ------------------------------------------------------------===//
//
// Syntax, subject and diagnostics. An N that depends on template parameters is checked by Binding/AttributeStrings.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/MaxRegisters.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

bool checkRegisters(Sema &S, const MaxRegistersAttribute &A, int64_t Count) {
  if (Count <= MostRegisters)
    return true;
  Diagnostics(S).error(A.Count.location(), "a thread has at most %0 registers")
      << std::to_string(MostRegisters) << A.Count.Range;
  return false;
}

namespace {

class MaxRegisters : public DeclAttribute<&DeclAttributes::MaxRegisters> {
public:
  MaxRegisters() : DeclAttribute("max_registers", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const MaxRegistersAttribute &Own = own(Subject);
    if (!checkKernel(S, Subject, Own, name()))
      return;
    warnUnlessBound(S, Subject, Own, name());
    if (Subject.Bound && Subject.FunctionAttributes && !Subject.IsDifferentiable)
      warnNoEffect(S, Subject, Own, name(), "is not 'kernix::differentiable', and this speaks of its derivatives");
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 1))
      return false;
    std::optional<IntegerArgument> Count = Arguments.integer(0, LeastRegisters);
    if (!Count)
      return false;
    MaxRegistersAttribute New;
    New.Count = std::move(*Count);
    if (New.Count.Value && !checkRegisters(Arguments.sema(), New, *New.Count.Value))
      return false;
    return setOnce(Arguments, Record.MaxRegisters, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<MaxRegisters> Register("kernix-max_registers", "");

} // namespace
} // namespace kernix
