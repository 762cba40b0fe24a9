//===- RuleCalls.h - calls of functions whose derivative is written by hand ---------------------------------------===//
//
// In the prepared copy such a call is one of kernix.rule.f, whose arguments are the numbers and pointers in f's
// parameters and whose result has those of f's result, and of the parameters that f changes: `T &` is read before the
// call and written after it, so that its memory is memory like any other. Only what pointers lead to is left to know.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_RULECALLS_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_RULECALLS_H

#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/Refusal.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace kernix {

/// Null for anything but a call of a canonical function.
const CustomRule *ruleOf(const llvm::Value *V, const CustomRules *Rules);
/// For a part of what such a call returns: the call. Null for anything else.
const llvm::CallBase *ruleCallOf(const llvm::Value *V, const CustomRules *Rules);

/// A number or pointer that is an argument of the call.
struct RuleArgument {
  const RuleParameter *Parameter;
  const RuleLeaf *Leaf;
  unsigned Index; ///< of the argument
  bool isNumber() const { return Leaf->Type->isFloatingPointTy(); }
  /// A number by which the rule differentiates.
  bool hasDerivative() const {
    return isNumber() && Parameter->IsActive &&
           (Parameter->Slot == RuleParameter::Value || Parameter->Slot == RuleParameter::Memory);
  }
  /// A pointer whose memory has a shadow that the rule is given.
  bool hasShadow() const {
    return Leaf->Type->isPointerTy() && Parameter->IsActive &&
           (Parameter->Slot == RuleParameter::Pointer || Parameter->Slot == RuleParameter::View);
  }
};
/// A part of what the call returns.
struct RuleResult {
  const RuleParameter *Parameter; ///< that was changed, or the result
  const RuleLeaf *Leaf;
  unsigned Index;    ///< in the returned struct
  bool IsResult;     ///< of f itself
  unsigned Argument; ///< index of the argument whose new value it is, if it is not
  bool hasDerivative() const { return Leaf->Type->isFloatingPointTy() && Parameter->IsActive; }
  /// A number that f computes and for whose gradient the rule has no place, as those in its own object.
  bool isWithoutGradient() const {
    return Leaf->Type->isFloatingPointTy() && !Parameter->IsActive && !Parameter->IsNoDiff &&
           (IsResult || Leaf->MayChange);
  }
};
void forEachArgument(const CustomRule &Rule, llvm::function_ref<void(const RuleArgument &)> Visit);
void forEachResult(const CustomRule &Rule, llvm::function_ref<void(const RuleResult &)> Visit);
/// Whether f may write where this pointer leads.
inline bool mayWrite(const CustomRule &Rule, const RuleArgument &A) {
  return A.Leaf->Type->isPointerTy() && !A.Leaf->ToConst && Rule.WritesMemory;
}
/// What the part of a result that Part is stands for.
RuleResult resultOf(const llvm::ExtractValueInst &Part, const CustomRule &Rule);

/// Turns the call of a marker, which f's stub has left behind, into one of the canonical function.
void canonicalizeRuleCall(llvm::CallBase &Marker, const CustomRule &Rule, llvm::Function &Canonical);
/// Makes each part of a call's result a value of its own right behind the call, and the only use of it.
void splitRuleResults(llvm::Function &F, const CustomRules &Rules, Refusals &Refused);

/// Memory that holds what is at P's place in f: its parts from Leaves, zeros elsewhere.
llvm::Value *makeRuleMemory(llvm::IRBuilder<> &B, llvm::Function &Body, uint64_t Size, llvm::Align Alignment);
llvm::Value *makeRuleMemory(llvm::IRBuilder<> &B, llvm::Function &Body, const RuleParameter &P,
                            llvm::ArrayRef<llvm::Value *> Leaves);
llvm::Value *loadRuleLeaf(llvm::IRBuilder<> &B, llvm::Value *Memory, const RuleParameter &P, const RuleLeaf &Leaf,
                          uint64_t At = 0);
/// The calls of canonical functions in a finished derivative become calls of f; thunks are inlined.
void lowerRuleCalls(llvm::Function &Body, const CustomRules &Rules);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_RULECALLS_H
