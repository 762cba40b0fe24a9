//===- Shape.cpp - [[kernix::shape("x")]], [[kernix::shape("x.size(0)", "3")]] ------------------------------------===//
//
// Syntax and diagnostics. The expressions are parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Shape.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

namespace {

class Shape : public DeclAttribute<&DeclAttributes::Shape> {
public:
  Shape() : DeclAttribute("shape", OnParameter) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (checkTensor(S, Subject, own(Subject), name()))
      warnUnlessBound(S, Subject, own(Subject), name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    // The highest rank of a view is eight.
    if (!Arguments.count(1, 8))
      return false;
    ShapeAttribute New;
    for (unsigned I = 0; I != Arguments.size(); ++I) {
      std::optional<StringArgument> Axis = Arguments.string(I);
      if (!Axis)
        return false;
      New.Axes.push_back(std::move(*Axis));
    }
    return setOnce(Arguments, Record.Shape, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Shape> Register("kernix-shape", "");

} // namespace
} // namespace kernix
