//===- Block.cpp - [[kernix::block(...)]] -------------------------------------------------------------------------===//
//
// Syntax, subject and diagnostics. The expressions are parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Block.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

/// What no device can launch; what only some cannot is checked at the launch.
static bool checkSize(Sema &S, const BlockAttribute &Block) {
  int64_t Threads = 1;
  for (const ExtentArgument &Extent : Block.Extents) {
    if (!Extent.Integer || !Extent.Integer->Value)
      continue;
    int64_t Most = &Extent - Block.Extents.begin() == 2 ? 64 : 1024;
    int64_t Size = *Extent.Integer->Value;
    if (Size > Most || (Threads *= Size) > 1024) {
      Diagnostics(S).error(Extent.location(), "a block has at most 1024 threads, and at most 64 in z")
          << Extent.Integer->Range;
      return false;
    }
  }
  return true;
}

namespace {

class Block : public DeclAttribute<&DeclAttributes::Block> {
public:
  Block() : DeclAttribute("block", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const BlockAttribute &Own = own(Subject);
    if (checkKernel(S, Subject, Own, name()) && checkSize(S, Own))
      warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 3))
      return false;
    BlockAttribute New;
    for (unsigned I = 0; I != Arguments.size(); ++I) {
      std::optional<ExtentArgument> Extent = Arguments.extent(I, 1);
      if (!Extent)
        return false;
      New.Extents.push_back(std::move(*Extent));
    }
    return setOnce(Arguments, Record.Block, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Block> Register("kernix-block", "");

} // namespace
} // namespace kernix
