//===- UnaskedNumbers.cpp - numbers that nobody asks for --------------------------------------------------------===//

#include "Derivative/Reverse/UnaskedNumbers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Number is read where Flag is true, and nowhere else.
void forgetWithout(const PHINode &Flag, PHINode &Number) {
  if (Flag.getParent() != Number.getParent())
    return;
  auto FlagAt = [&](unsigned K) { return Flag.getIncomingValueForBlock(Number.getIncomingBlock(K)); };
  for (unsigned K = 0; K < Number.getNumIncomingValues(); ++K) {
    const Value *IsRead = FlagAt(K);
    if (const auto *Known = dyn_cast<ConstantInt>(IsRead); Known && Known->isZero()) {
      Number.setIncomingValue(K, PoisonValue::get(Number.getType()));
      continue;
    }
    const auto *EarlierFlag = dyn_cast<PHINode>(IsRead);
    auto *Earlier = dyn_cast<PHINode>(Number.getIncomingValue(K));
    if (!EarlierFlag || !Earlier || Earlier == &Number)
      continue;
    bool IsReadHereOnly = all_of(Earlier->uses(), [&](const Use &U) {
      return U.getUser() == &Number && FlagAt(U.getOperandNo()) == EarlierFlag;
    });
    if (IsReadHereOnly)
      forgetWithout(*EarlierFlag, *Earlier);
  }
}

} // namespace

void kernix::forgetUnaskedNumbers(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Select = dyn_cast<SelectInst>(&I);
    if (!Select || !Select->getType()->isFloatingPointTy())
      continue;
    const auto *Flag = dyn_cast<PHINode>(Select->getCondition());
    auto *Number = dyn_cast<PHINode>(Select->getTrueValue());
    auto AsksFirst = [&](const User *U) {
      const auto *Other = dyn_cast<SelectInst>(U);
      return Other && Other->getCondition() == Flag && Other->getFalseValue() != Number;
    };
    if (Flag && Number && all_of(Number->users(), AsksFirst))
      forgetWithout(*Flag, *Number);
  }
}
