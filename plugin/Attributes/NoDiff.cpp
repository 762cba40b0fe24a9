//===- NoDiff.cpp - [[kernix::no_diff]] ---------------------------------------------------------------------------===//
//
// Syntax and diagnostics. Contradictions with diff and differentiable are reported by those.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/NoDiff.h"
#include "Attributes/Attribute.h"

using namespace clang;

namespace kernix {

namespace {

class NoDiff : public DeclAttribute<&DeclAttributes::NoDiff> {
public:
  NoDiff() : DeclAttribute("no_diff", OnFunction | OnParameter | OnLocalVariable | OnGlobal | OnCallStatement) {}

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
