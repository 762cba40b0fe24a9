//===- ConditionalLoads.cpp - keeps conditional loads before the stores that follow them -------------------------===//
//
// LLVM 22's vectoriser makes a masked load of `if (c) v = *p;`, and a select of where its value meets another one.
// InstCombine then makes one masked load of both, in the place of the select: behind stores that come in between, so
// that `if (c) { v = *p; *p = 0; }` reads zeros. A freeze between load and select keeps it from that, and costs nothing
// in machine code.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Passes.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace kernix;

namespace {

/// True if the value of Load becomes an operand of a select once its loop has been vectorised.
bool isSelected(const LoadInst &Load) {
  return any_of(Load.users(), [](const User *U) { return isa<PHINode, SelectInst>(U); });
}

/// Loads of L that not all iterations come to, and whose memory the loop may change.
SmallVector<LoadInst *> conditionalLoads(const Loop &L, const DominatorTree &DT, AAResults &AA) {
  SmallVector<LoadInst *> Loads;
  SmallVector<Instruction *> Writes;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Load && isSelected(*Load) && !DT.dominates(Block, L.getLoopLatch()))
        Loads.push_back(Load);
      if (I.mayWriteToMemory())
        Writes.push_back(&I);
    }
  erase_if(Loads, [&](const LoadInst *Load) {
    return none_of(Writes,
                   [&](const Instruction *I) { return isModSet(AA.getModRefInfo(I, MemoryLocation::get(Load))); });
  });
  return Loads;
}

} // namespace

PreservedAnalyses CpuConditionalLoadsPass::run(Function &F, FunctionAnalysisManager &FAM) {
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch())
      continue;
    for (LoadInst *Load : conditionalLoads(*L, DT, AA)) {
      IRBuilder<> Builder(Load->getNextNode());
      auto *Kept = cast<Instruction>(Builder.CreateFreeze(Load));
      Load->replaceUsesWithIf(Kept, [&](const Use &U) { return U.getUser() != Kept; });
      Changed = true;
    }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
