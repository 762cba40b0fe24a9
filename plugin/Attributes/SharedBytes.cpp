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

class SharedBytes : public DeclAttribute<&DeclAttributes::SharedBytes> {
public:
  SharedBytes() : DeclAttribute("shared_bytes", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const SharedBytesAttribute &Own = own(Subject);
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
