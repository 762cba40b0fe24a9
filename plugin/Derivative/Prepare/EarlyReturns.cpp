//===- EarlyReturns.cpp - threads that have nothing more to do return at once -----------------------------------===//

#include "Derivative/Prepare/EarlyReturns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static bool onlyReturns(const BasicBlock &Block) {
  const auto *Return = dyn_cast<ReturnInst>(&Block.front());
  return Return && !Return->getReturnValue();
}

static bool doesNothing(const BasicBlock &Block) {
  return none_of(Block, [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return I.mayHaveSideEffects() || (Call && Call->isConvergent());
  });
}

static BasicBlock *targetOf(SwitchInst &Switch, const Value *Answer) {
  const auto *Number = dyn_cast<ConstantInt>(Answer);
  return Number ? Switch.findCaseValue(Number)->getCaseSuccessor() : nullptr;
}

/// Answers that no way gives any more.
static void removeUnasked(SwitchInst &Switch, const PHINode &Answers) {
  if (!all_of(Answers.incoming_values(), [](const Use &Answer) { return isa<ConstantInt>(Answer); }))
    return;
  BasicBlock *Block = Switch.getParent();
  auto IsGiven = [&](const ConstantInt *Answer) {
    return any_of(Answers.incoming_values(), [&](const Use &Given) { return Given.get() == Answer; });
  };
  for (auto Case = Switch.case_begin(); Case != Switch.case_end();) {
    if (IsGiven(Case->getCaseValue())) {
      ++Case;
      continue;
    }
    Case->getCaseSuccessor()->removePredecessor(Block);
    Case = Switch.removeCase(Case);
  }
  const bool HasOthers = any_of(Answers.incoming_values(), [&](const Use &Answer) {
    return Switch.findCaseValue(cast<ConstantInt>(Answer)) == Switch.case_default();
  });
  if (HasOthers || !Switch.getNumCases())
    return;
  auto Last = std::prev(Switch.case_end());
  BasicBlock *Target = Last->getCaseSuccessor();
  Switch.getDefaultDest()->removePredecessor(Block);
  Switch.setDefaultDest(Target);
  Switch.removeCase(Last);
  if (Switch.getNumCases())
    return;
  BranchInst::Create(Target, Switch.getIterator());
  Switch.eraseFromParent();
}

void kernix::returnAtOnce(Function &F) {
  for (BasicBlock &Block : F) {
    auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
    auto *Answers = Switch ? dyn_cast<PHINode>(Switch->getCondition()) : nullptr;
    if (!Answers || Answers->getParent() != &Block || !doesNothing(Block))
      continue;
    bool Changed = false;
    for (unsigned K = 0; K < Answers->getNumIncomingValues();) {
      BasicBlock *From = Answers->getIncomingBlock(K);
      BasicBlock *To = targetOf(*Switch, Answers->getIncomingValue(K));
      Instruction *End = From->getTerminator();
      if (!To || !onlyReturns(*To) || !isa<BranchInst, SwitchInst>(End) || count(successors(From), &Block) != 1) {
        ++K;
        continue;
      }
      Block.removePredecessor(From, /*KeepOneInputPHIs=*/true);
      End->replaceSuccessorWith(&Block, To);
      Changed = true;
    }
    if (!Changed)
      continue;
    Switch->setMetadata(LLVMContext::MD_prof, nullptr);
    if (Answers->getNumIncomingValues())
      removeUnasked(*Switch, *Answers);
  }
  removeUnreachableBlocks(F);
}
