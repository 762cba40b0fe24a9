//===- BlockAtomics.cpp - kernix-cpu-block-atomics --------------------------------------------------------------===//
//
// Only the threads of one block reach its shared memory, and one host thread runs all of them and changes from one to
// another at calls alone: atomic operations there need no locked instruction. Atomics on other memory stay as they are.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/ObjectLayout.h"
#include "CpuTarget/Passes.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace kernix {

/// The address of a block's shared memory, as SharedMemory.cpp reads it.
static bool isArena(const Value *V, const ObjectLayout &Layout, const DataLayout &DL) {
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->hasMetadata(LLVMContext::MD_invariant_load))
    return false;
  APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *State = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (const auto *Address = dyn_cast<IntrinsicInst>(State);
      Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address)
    State = Address->getArgOperand(0);
  const auto *Variable = dyn_cast<GlobalVariable>(State);
  if (!Variable || Variable->getName() != CurrentStateName)
    return false;
  const StructLayout *Fields = DL.getStructLayout(Layout.State);
  return Offset == Fields->getElementOffset(SF_Shared) || Offset == Fields->getElementOffset(SF_DynamicShared);
}

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
    SmallVector<const Value *> Objects;
    getUnderlyingObjects(Update ? Update->getPointerOperand() : Exchange->getPointerOperand(), Objects, nullptr, 0);
    if (!all_of(Objects, [&](const Value *Object) { return isArena(Object, Layout, DL); }))
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
