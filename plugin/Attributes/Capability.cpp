//===- Capability.cpp - [[kernix::capability(tensor_cores, 2.0, 1.0)]] --------------------------------------------===//
//
// Syntax, subject and diagnostics.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Capability.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

namespace {

class Capability : public DeclAttribute<&DeclAttributes::Capability> {
public:
  Capability() : DeclAttribute("capability", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    warnUnlessBound(S, Subject, own(Subject), name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 3))
      return false;
    std::optional<unsigned> Word = Arguments.oneOf(0, {"tensor_cores", "plain"});
    if (!Word)
      return false;
    CapabilityAttribute New;
    New.TensorCores = *Word == 0;
    for (unsigned I = 1; I < Arguments.size(); ++I) {
      std::optional<double> Factor = Arguments.positiveNumber(I);
      if (!Factor)
        return false;
      (I == 1 ? New.PerformanceFactor : New.MemoryEfficiency) = *Factor;
    }
    return setOnce(Arguments, Record.Capability, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Capability> Register("kernix-capability", "");

} // namespace
} // namespace kernix
