//===- Rule.h - derivatives of single functions -----------------------------------------------------------------===//
//
// By * d(result)/d(operand) for every canonical function and for the LLVM intrinsics that stay as they are. The
// formulas are in the other files of this folder, one table each; Formula.h is what they are written in. Edges and
// kinks are PyTorch's; docs/derivative_rules.md lists them.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_RULES_RULE_H
#define KERNIX_DERIVATIVE_RULES_RULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace kernix {

class RuleContext;
class Term;

struct Rule {
  llvm::StringRef Name; ///< "sin" of kernix.sin.f32, "llvm.fma" of llvm.fma.f32
  unsigned Arity;
  /// By * d(result)/d(operand). A Term without a value: identically zero. nullptr instead of a function: every operand
  /// has derivative zero.
  Term (*Scale)(RuleContext &, unsigned Operand, Term By);
};

/// The rule for a canonical function or an intrinsic; nullptr: there is none.
const Rule *findRule(const llvm::Function &Raised);

/// By * d(result)/d(operand), which serves forward mode (By is the tangent, of the operand's type) and reverse mode (By
/// is the adjoint, of the result's type). Call gives the function and the fast-math flags, Operands and Result the
/// values to use, null where needsOf does not ask for them. The answer has the type of the other side; nullptr:
/// identically zero.
llvm::Value *scaleBy(llvm::IRBuilderBase &Builder, const llvm::CallBase &Call, llvm::ArrayRef<llvm::Value *> Operands,
                     llvm::Value *Result, unsigned Operand, llvm::Value *By);

/// Which values scaleBy reads.
struct RuleNeeds {
  llvm::SmallBitVector Operands;
  bool Result = false;
};
RuleNeeds needsOf(const llvm::CallBase &Call, unsigned Operand);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_RULES_RULE_H
