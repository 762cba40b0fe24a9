//===- BlockAtomics.cpp - kernix-cpu-block-atomics --------------------------------------------------------------===//
//
// Only the threads of one block reach its shared memory, and one host thread runs all of them and changes from one to
// another at calls alone: atomic operations there need no locked instruction. Neither do those that are atomic for one
// host thread alone (AloneVersion.h). Atomics on other memory stay as they are.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Passes.h"
#include "CpuTarget/SharedMemory.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace kernix {

PreservedAnalyses CpuBlockAtomicsPass::run(Function &F, FunctionAnalysisManager &) {
  // To ThreadSanitizer, the threads of a block run at once.
  if (F.hasFnAttribute(Attribute::SanitizeThread))
    return PreservedAnalyses::all();
  SmallVector<Instruction *> Atomics;
  for (Instruction &I : instructions(F))
    if ((isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) && !I.isVolatile())
      Atomics.push_back(&I);
  if (Atomics.empty())
    return PreservedAnalyses::all();
  const ObjectLayout Layout(*F.getParent());
  const DataLayout &DL = F.getDataLayout();
  bool Changed = false;
  for (Instruction *I : Atomics) {
    auto *Update = dyn_cast<AtomicRMWInst>(I);
    auto *Exchange = dyn_cast<AtomicCmpXchgInst>(I);
    if ((Update ? Update->getSyncScopeID() : Exchange->getSyncScopeID()) != SyncScope::SingleThread &&
        !isSharedMemory(*(Update ? Update->getPointerOperand() : Exchange->getPointerOperand()), Layout, DL))
      continue;
    Changed |= Update ? lowerAtomicRMWInst(Update) : lowerAtomicCmpXchgInst(Exchange);
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}

} // namespace kernix
