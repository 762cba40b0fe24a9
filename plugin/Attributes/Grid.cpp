//===- Grid.cpp - [[kernix::grid(...)]] ---------------------------------------------------------------------------===//
//
// Syntax, subject and diagnostics. The expressions are parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Grid.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

namespace {

class Grid : public DeclAttribute<&DeclAttributes::Grid> {
public:
  Grid() : DeclAttribute("grid", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const GridAttribute &Own = own(Subject);
    if (checkKernel(S, Subject, Own, name()))
      warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 3))
      return false;
    GridAttribute New;
    for (unsigned I = 0; I != Arguments.size(); ++I) {
      std::optional<ExtentArgument> Extent = Arguments.extent(I, 1);
      if (!Extent)
        return false;
      New.Extents.push_back(std::move(*Extent));
    }
    return setOnce(Arguments, Record.Grid, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Grid> Register("kernix-grid", "");

} // namespace
} // namespace kernix
