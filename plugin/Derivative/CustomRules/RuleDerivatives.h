//===- RuleDerivatives.h - calling a derivative that the source has written ---------------------------------------===//
//
// Puts parameters, shadows and cotangents where the thunk of a rule finds them (CustomRules.h), calls it, and reads
// what it has computed. Both modes; where the values come from is their business.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_RULEDERIVATIVES_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_RULEDERIVATIVES_H

#include "Derivative/Accumulation/ShadowAddresses.h"
#include "Derivative/CustomRules/RuleCalls.h"

namespace kernix {

class RuleDerivative {
public:
  /// ValueOf: an argument of the call where the builder stands.
  RuleDerivative(llvm::CallBase &Call, const CustomRule &Rule, llvm::Function &Body, llvm::IRBuilder<> &B,
                 MemoryObjects &Objects, ShadowAddresses &Addresses,
                 std::function<llvm::Value *(llvm::Value *)> ValueOf)
      : Call(Call), Rule(Rule), Body(Body), B(B), Objects(Objects), Addresses(Addresses), ValueOf(std::move(ValueOf)) {}

  /// Shadow: the tangent of a number, or the cotangent of what `T &` is changed to; null: zero. Cotangent: of a part of
  /// the result; null in forward mode.
  void call(llvm::function_ref<llvm::Value *(const RuleArgument &)> Shadow,
            llvm::function_ref<llvm::Value *(const RuleResult &)> Cotangent);

  /// Forward mode: a part of what f returns or changes, and its tangent.
  llvm::Value *value(const RuleResult &R);
  llvm::Value *derivative(const RuleResult &R);
  /// Reverse mode: what is added to the adjoint of a number.
  llvm::Value *gradient(const RuleArgument &A);

private:
  llvm::Value *shadowOf(const RuleParameter &P, unsigned FirstArgument,
                        llvm::function_ref<llvm::Value *(const RuleArgument &)> Shadow);
  llvm::Value *shadowPointer(const RuleArgument &A);
  unsigned indexOf(const RuleParameter &P) const { return static_cast<unsigned>(&P - Rule.Parameters.data()); }

  llvm::CallBase &Call;
  const CustomRule &Rule;
  llvm::Function &Body;
  llvm::IRBuilder<> &B;
  MemoryObjects &Objects;
  ShadowAddresses &Addresses;
  std::function<llvm::Value *(llvm::Value *)> ValueOf;
  llvm::SmallVector<llvm::Value *, 8> Values, Shadows;
  llvm::Value *Result = nullptr;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_RULEDERIVATIVES_H
