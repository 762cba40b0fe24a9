//===- ControlDependence.cpp - which branches decide whether a block runs ---------------------------------------===//

#include "Derivative/Analysis/ControlDependence.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

ControlDependence::ControlDependence(const Function &F, const PostDominatorTree &PostDominators) {
  for (const BasicBlock &Block : F) {
    if (succ_size(&Block) < 2)
      continue;
    const auto *Node = PostDominators.getNode(&Block);
    const auto *Stop = Node ? Node->getIDom() : nullptr;
    for (const BasicBlock *Next : successors(&Block))
      for (const auto *After = PostDominators.getNode(Next); After && After != Stop; After = After->getIDom()) {
        // A tree with several exits has a root that is no block.
        if (!After->getBlock())
          continue;
        SmallVector<const BasicBlock *, 2> &Own = Controls[After->getBlock()];
        if (Own.empty() || Own.back() != &Block)
          Own.push_back(&Block);
      }
  }
}

ArrayRef<const BasicBlock *> ControlDependence::of(const BasicBlock *Block) const {
  auto Found = Controls.find(Block);
  return Found == Controls.end() ? ArrayRef<const BasicBlock *>() : Found->second;
}

const Value *kernix::conditionOf(const BasicBlock &Block) {
  const Instruction *Terminator = Block.getTerminator();
  return Terminator->getNumSuccessors() > 1 ? Terminator->getOperand(0) : nullptr;
}
