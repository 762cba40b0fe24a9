//===- Diff.cpp - [[kernix::diff(accumulation, N)]] ---------------------------------------------------------------===//
//
// Syntax and diagnostics. What accumulation a read gets is decided in the IR half.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Diff.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace kernix {

/// In the order of Accumulation, without Automatic.
static constexpr llvm::StringRef Words[] = {"atomic", "warp", "unique", "once", "replicated", "scatter"};

llvm::StringRef spelling(Accumulation Kind) {
  return Kind == Accumulation::Automatic ? "" : Words[static_cast<unsigned>(Kind) - 1];
}

llvm::ArrayRef<llvm::StringRef> accumulationWords() { return Words; }

namespace {

class Diff : public DeclAttribute<&DeclAttributes::Diff> {
public:
  Diff() : DeclAttribute("diff", OnParameter) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const DiffAttribute &Own = own(Subject);
    if (Subject.All->NoDiff)
      return refuseBoth(S, Own, name(), *Subject.All->NoDiff, "no_diff");
    QualType Type = cast<ParmVarDecl>(Subject.Written)->getType().getNonReferenceType();
    QualType Element = Type->isPointerType() ? Type->getPointeeType() : Type;
    if (!Element->isDependentType() && (Element->isIntegralOrEnumerationType() || Element->isVoidType() ||
                                        Element->isFunctionType() || Element->isPointerType())) {
      Diagnostics(S).error(Own.location(), "'kernix::diff' needs a floating-point value, but the parameter has type %0")
          << Type << Own.Range;
      return;
    }
    const DeclAttributes *Function = Subject.FunctionAttributes;
    bool HasRules = Function && (Function->ForwardDerivative || Function->BackwardDerivative ||
                                 Function->ForwardDerivativeOf || Function->BackwardDerivativeOf);
    if (!Subject.IsDifferentiable && !HasRules)
      warnNoEffect(S, Subject, Own, name(), "is not differentiable");
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(0, 2))
      return false;
    DiffAttribute New;
    if (Arguments.size() == 0)
      return setOnce(Arguments, Record.Diff, std::move(New));
    std::optional<unsigned> Word = Arguments.oneOf(0, Words);
    if (!Word)
      return false;
    // Words leaves Automatic out.
    New.Kind = static_cast<Accumulation>(*Word + 1);
    Diagnostics Diag(Arguments.sema());
    if (New.Kind != Accumulation::Replicated && New.Kind != Accumulation::Scatter) {
      if (Arguments.size() == 1)
        return setOnce(Arguments, Record.Diff, std::move(New));
      Diag.error(Arguments.location(1), "'kernix::diff(%0)' takes no number") << Words[*Word] << Arguments.range(1);
      return false;
    }
    if (Arguments.size() == 1) {
      Diag.error(Arguments.location(0), "'kernix::diff(%0)' needs the number of %select{replicas|notes}1")
          << Words[*Word] << (New.Kind == Accumulation::Scatter) << Arguments.range(0);
      return false;
    }
    New.Count = Arguments.integer(1, 1);
    return New.Count && setOnce(Arguments, Record.Diff, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Diff> Register("kernix-diff", "");

} // namespace
} // namespace kernix
