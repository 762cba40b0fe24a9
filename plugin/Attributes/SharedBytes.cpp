//===- SharedBytes.cpp - [[kernix::shared_bytes(...)]] ------------------------------------------------------------===//
//
// Syntax, subject and diagnostics. The expressions are parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/SharedBytes.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

namespace {

class SharedBytes : public Attribute {
public:
  SharedBytes() : Attribute("shared_bytes", OnFunction | OnVariable) {}

  const AttributeBase *find(const DeclAttributes &Attributes) const override {
    return Attributes.SharedBytes ? &*Attributes.SharedBytes : nullptr;
  }

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const SharedBytesAttribute &Own = *Subject.Own->SharedBytes;
    if (checkKernel(S, Subject, Own, name()))
      warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 1))
      return false;
    std::optional<ExtentArgument> Bytes = Arguments.extent(0, 0);
    if (!Bytes)
      return false;
    SharedBytesAttribute New;
    New.Bytes = std::move(*Bytes);
    return setOnce(Arguments, Record.SharedBytes, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<SharedBytes> Register("kernix-shared_bytes", "");

} // namespace
} // namespace kernix
