//===- ChosenParts.cpp - what only matters where a select chooses it --------------------------------------------===//

#include "Derivative/Reverse/ChosenParts.h"
#include "Derivative/Rules/Rule.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

ChosenParts::ChosenParts(Function &F) {
  for (BasicBlock &Block : F) {
    for (Instruction &I : reverse(Block))
      collect(I);
    // Products of what may be infinite are, too.
    SmallPtrSet<const Value *, 8> MayBeInfinite;
    for (Instruction &I : Block) {
      if (!Choices.contains(&I))
        continue;
      if (isa<CallBase>(I) || (I.getOpcode() == Instruction::FDiv && !isa<Constant>(I.getOperand(1))) ||
          any_of(I.operands(), [&](const Use &U) { return MayBeInfinite.contains(U.get()); }))
        MayBeInfinite.insert(&I);
      else
        Choices.erase(&I);
    }
  }
}

/// Of what all users have in common, which have been looked at before.
void ChosenParts::collect(Instruction &I) {
  if (!I.getType()->isFPOrFPVectorTy() || isa<PHINode>(I) || I.use_empty())
    return;
  // What lanes exchange, also in functions with rules of the user's, others may have chosen.
  if (const auto *Call = dyn_cast<CallBase>(&I);
      Call && !(Call->getCalledFunction() && findRule(*Call->getCalledFunction())))
    return;
  SmallVector<Choice, 2> Common;
  bool IsFirst = true;
  for (const Use &U : I.uses()) {
    auto *User = cast<Instruction>(U.getUser());
    if (User->getParent() != I.getParent() || isa<PHINode>(User))
      return;
    SmallVector<Choice, 2> Own(of(*User));
    if (auto *Select = dyn_cast<SelectInst>(User); Select && Select->getTrueValue() != Select->getFalseValue())
      Own.push_back({Select->getCondition(), Select->getTrueValue() == &I});
    if (IsFirst)
      Common = std::move(Own);
    else
      erase_if(Common, [&](const Choice &C) { return !is_contained(Own, C); });
    IsFirst = false;
    if (Common.empty())
      return;
  }
  Choices[&I] = std::move(Common);
}
