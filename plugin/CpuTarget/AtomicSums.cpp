//===- AtomicSums.cpp - atomics of all threads on one address ----------------------------------------------------===//
//
// `atomicAdd(sum, x[i])` is a locked instruction per thread, and keeps the loop from being vectorised. CUDA's atomics
// order nothing else and come in any order, so the loop may add first and touch the address once. Not if a thread could
// look at the address after its own atomic, or has a fence.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/AtomicSums.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace kernix {

namespace {

/// What the sum starts with, and what makes no difference to the address; null for operations that do not add up.
Constant *neutralElement(const AtomicRMWInst &Atomic) {
  Type *Of = Atomic.getType();
  switch (Atomic.getOperation()) {
  case AtomicRMWInst::FAdd:
    return Of->isFloatTy() || Of->isDoubleTy() ? ConstantFP::getNegativeZero(Of) : nullptr;
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return ConstantInt::get(Of, 0);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return ConstantInt::getAllOnesValue(Of);
  case AtomicRMWInst::Max:
    return ConstantInt::get(Of, APInt::getSignedMinValue(Of->getIntegerBitWidth()));
  case AtomicRMWInst::Min:
    return ConstantInt::get(Of, APInt::getSignedMaxValue(Of->getIntegerBitWidth()));
  default:
    return nullptr;
  }
}

bool isCandidate(const AtomicRMWInst &Atomic, const Loop &L) {
  return Atomic.use_empty() && !Atomic.isVolatile() && !isStrongerThanMonotonic(Atomic.getOrdering()) &&
         L.isLoopInvariant(Atomic.getPointerOperand()) && neutralElement(Atomic);
}

/// True if I, run by the same thread after Atomic, could see whether it has been done.
bool couldSee(const Instruction &I, const AtomicRMWInst &Atomic, AAResults &AA) {
  if (!I.mayReadOrWriteMemory() || I.isDebugOrPseudoInst())
    return false;
  // Another sum: the order does not show.
  const auto *Other = dyn_cast<AtomicRMWInst>(&I);
  if (Other && Other->use_empty() && Other->getOperation() == Atomic.getOperation() &&
      Other->getType() == Atomic.getType() && !Other->isVolatile())
    return false;
  return isModOrRefSet(AA.getModRefInfo(&I, MemoryLocation::get(&Atomic)));
}

bool mayMove(const AtomicRMWInst &Atomic, const Loop &L, AAResults &AA) {
  SmallPtrSet<const BasicBlock *, 16> Behind;
  SmallVector<const BasicBlock *> Work = {Atomic.getParent()};
  while (!Work.empty())
    for (const BasicBlock *Next : successors(Work.pop_back_val()))
      if (L.contains(Next) && Next != L.getHeader() && Behind.insert(Next).second)
        Work.push_back(Next);
  for (const Instruction *I = Atomic.getNextNode(); I; I = I->getNextNode())
    if (couldSee(*I, Atomic, AA))
      return false;
  return none_of(Behind, [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) { return couldSee(I, Atomic, AA); });
  });
}

void move(AtomicRMWInst &Atomic, Loop &L, LoopInfo &LI, DominatorTree &DT) {
  Function &F = *Atomic.getFunction();
  Type *Of = Atomic.getType();
  IRBuilder<> Builder(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Sum = Builder.CreateAlloca(Of);
  Constant *Neutral = neutralElement(Atomic);
  Builder.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  Builder.CreateStore(Neutral, Sum);

  SmallVector<BasicBlock *> Exits;
  L.getUniqueExitBlocks(Exits);
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  for (BasicBlock *Exit : Exits) {
    Builder.SetInsertPoint(Exit, Exit->getFirstInsertionPt());
    Builder.SetCurrentDebugLocation(Atomic.getDebugLoc());
    Value *Total = Builder.CreateLoad(Of, Sum);
    Type *Bits = Builder.getIntNTy(Of->getPrimitiveSizeInBits());
    // No thread, no access: the address may be null then.
    Value *IsThere = Builder.CreateICmpNE(Builder.CreateBitCast(Total, Bits), Builder.CreateBitCast(Neutral, Bits));
    Instruction *Then = SplitBlockAndInsertIfThen(IsThere, Builder.GetInsertPoint(), /*Unreachable=*/false,
                                                  /*BranchWeights=*/nullptr, &Updater, &LI);
    Builder.SetInsertPoint(Then);
    Builder.CreateAtomicRMW(Atomic.getOperation(), Atomic.getPointerOperand(), Total, Atomic.getAlign(),
                            Atomic.getOrdering(), Atomic.getSyncScopeID());
  }

  Builder.SetInsertPoint(&Atomic);
  FastMathFlags AnyOrder;
  AnyOrder.setAllowReassoc();
  Builder.setFastMathFlags(AnyOrder);
  Builder.CreateStore(
      buildAtomicRMWValue(Atomic.getOperation(), Builder, Builder.CreateLoad(Of, Sum), Atomic.getValOperand()), Sum);
  Atomic.eraseFromParent();
  PromoteMemToReg({Sum}, DT);
}

} // namespace

bool sumAtomics(Loop &L, LoopInfo &LI, DominatorTree &DT, AAResults &AA) {
  if (!L.getLoopPreheader() || !L.hasDedicatedExits() || !L.isInnermost())
    return false;
  SmallVector<AtomicRMWInst *> Found;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (isa<FenceInst>(I))
        return false;
      if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I); Atomic && isCandidate(*Atomic, L) && mayMove(*Atomic, L, AA))
        Found.push_back(Atomic);
    }
  for (AtomicRMWInst *Atomic : Found)
    move(*Atomic, L, LI, DT);
  return !Found.empty();
}

} // namespace kernix
