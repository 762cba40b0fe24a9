//===- MaxIters.cpp - [[kernix::max_iters(N)]] --------------------------------------------------------------------===//
//
// Syntax, subject and diagnostics.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/MaxIters.h"
#include "Attributes/Attribute.h"

using namespace clang;

namespace kernix {

namespace {

class MaxIters : public Attribute {
public:
  MaxIters() : Attribute("max_iters", OnLoop) {}

protected:
  bool apply(WrittenArguments &Arguments, StmtAttributes &Record) const override {
    if (!Arguments.count(1, 1))
      return false;
    std::optional<IntegerArgument> Count = Arguments.integer(0, 1);
    if (!Count)
      return false;
    MaxItersAttribute New;
    New.Count = std::move(*Count);
    return setOnce(Arguments, Record.MaxIters, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<MaxIters> Register("kernix-max_iters", "");

} // namespace
} // namespace kernix
