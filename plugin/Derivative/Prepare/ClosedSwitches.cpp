//===- ClosedSwitches.cpp - switches whose default nothing comes to ---------------------------------------------===//

#include "Derivative/Prepare/ClosedSwitches.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

void kernix::closeSwitches(Function &F) {
  for (BasicBlock &Block : F) {
    auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
    if (!Switch || !Switch->getNumCases() || !isa<UnreachableInst>(Switch->getDefaultDest()->front()))
      continue;
    auto Last = std::prev(Switch->case_end());
    BasicBlock *Target = Last->getCaseSuccessor();
    Switch->getDefaultDest()->removePredecessor(&Block);
    Switch->setMetadata(LLVMContext::MD_prof, nullptr);
    Switch->setDefaultDest(Target);
    Switch->removeCase(Last);
    if (!Switch->getNumCases()) {
      BranchInst::Create(Target, Switch->getIterator());
      Switch->eraseFromParent();
    }
  }
  removeUnreachableBlocks(F);
}
