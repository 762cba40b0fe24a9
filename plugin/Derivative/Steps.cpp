//===- Steps.cpp - what is known of the step of an address ------------------------------------------------------===//

#include "Derivative/Steps.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace kernix;

uint64_t kernix::constantFactor(const SCEV *S) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().abs().getLimitedValue();
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    return constantFactor(Cast->getOperand());
  uint64_t Factor = 1;
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S))
    for (const SCEV *Operand : Product->operands())
      Factor *= constantFactor(Operand);
  return Factor;
}

static bool isNonZero(const SCEV *S) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return !C->getAPInt().isZero();
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    return isNonZero(Cast->getOperand());
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S))
    return all_of(Product->operands(), isNonZero);
  const auto *Unknown = dyn_cast<SCEVUnknown>(S);
  const Value *V = Unknown ? Unknown->getValue() : nullptr;
  // A product that scalar evolution does not look into, since it may wrap.
  if (const auto *Product = dyn_cast_or_null<BinaryOperator>(V); Product && Product->getOpcode() == Instruction::Mul) {
    auto IsExtent = [](const Value *Factor) {
      const auto *Call = dyn_cast<CallBase>(Factor);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      return Callee &&
             (Callee->getName().starts_with("kernix.block_dim.") || Callee->getName().starts_with("kernix.grid_dim."));
    };
    return IsExtent(Product->getOperand(0)) && IsExtent(Product->getOperand(1));
  }
  const auto *Call = dyn_cast_or_null<CallBase>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         (Callee->getName().starts_with("kernix.block_dim.") || Callee->getName().starts_with("kernix.grid_dim."));
}

bool kernix::isNonZeroStep(const SCEV *S, uint64_t Size) { return isNonZero(S) && constantFactor(S) >= Size; }
