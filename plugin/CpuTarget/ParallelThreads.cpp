//===- ParallelThreads.cpp - kernix-cpu-parallel
//---------------------------------------------------------------------===//
//
// The threads of a block that never wait for each other may run in any order, side by side: CUDA calls it a race if one
// touches what another writes. So the loads and stores of the loop over threadIdx.x carry no dependence from one
// iteration to another, which is what llvm.loop.parallel_accesses says. It does not hold for stack memory, which LLVM
// has folded into one slot for all iterations, nor for the place of the running thread that calls may ask for, nor
// around atomics, which order other accesses.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/KernelBodies.h"
#include "CpuTarget/Passes.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kernix {

namespace {

bool isMarked(const Loop &L) {
  const MDNode *Id = L.getLoopID();
  if (!Id)
    return false;
  return any_of(drop_begin(Id->operands()), [](const MDOperand &Operand) {
    const auto *Node = dyn_cast<MDNode>(Operand);
    const auto *Text = Node && Node->getNumOperands() == 1 ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
    return Text && Text->getString() == ThreadLoopMarker;
  });
}

/// The mark may have come to another loop when blocks were merged; one that runs the threads counts them one by one.
bool countsThreads(const Loop &L) { return L.getCanonicalInductionVariable() != nullptr; }

bool escapes(const AllocaInst &Slot) { return PointerMayBeCaptured(&Slot, /*ReturnCaptures=*/true); }

/// True for memory that belongs to the host thread, of which all iterations use the same bytes.
bool isHostThreadMemory(const Value *Pointer) {
  SmallVector<const Value *> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return any_of(Objects, [](const Value *Object) {
    const auto *Global = dyn_cast<GlobalVariable>(Object);
    const auto *Call = dyn_cast<IntrinsicInst>(Object);
    return isa<AllocaInst>(Object) || (Global && Global->isThreadLocal()) ||
           (Call && Call->getIntrinsicID() == Intrinsic::threadlocal_address);
  });
}

/// The accesses of L that threads do independently; false if there are others.
bool collectAccesses(const Loop &L, SmallVectorImpl<Instruction *> &Accesses) {
  for (const BasicBlock *Block : L.blocks()) {
    for (const Instruction &I : *Block) {
      if (!I.mayReadOrWriteMemory() || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd() || isa<AssumeInst>(I) ||
          isa<NoAliasScopeDeclInst>(I))
        continue;
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer || I.isAtomic() || I.isVolatile())
        return false;
      if (isHostThreadMemory(Pointer) && !I.hasMetadata(LLVMContext::MD_invariant_load))
        return false;
      Accesses.push_back(const_cast<Instruction *>(&I));
    }
  }
  return !Accesses.empty();
}

void markParallel(Loop &L, ArrayRef<Instruction *> Accesses) {
  LLVMContext &Context = L.getHeader()->getContext();
  MDNode *Group = MDNode::getDistinct(Context, {});
  for (Instruction *I : Accesses)
    I->setMetadata(LLVMContext::MD_access_group,
                   uniteAccessGroups(I->getMetadata(LLVMContext::MD_access_group), Group));
  MDNode *Parallel = MDNode::get(Context, {MDString::get(Context, "llvm.loop.parallel_accesses"), Group});
  L.setLoopID(makePostTransformationMetadata(Context, L.getLoopID(), {}, {Parallel}));
}

} // namespace

PreservedAnalyses CpuParallelPass::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Loop *> Loops;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (L->isInnermost() && isMarked(*L) && countsThreads(*L))
      Loops.push_back(L);
  if (Loops.empty())
    return PreservedAnalyses::all();
  // A stack slot whose address is kept somewhere could be behind any loaded pointer.
  for (const Instruction &I : instructions(F))
    if (const auto *Slot = dyn_cast<AllocaInst>(&I); Slot && escapes(*Slot))
      return PreservedAnalyses::all();
  for (Loop *L : Loops) {
    SmallVector<Instruction *> Accesses;
    if (collectAccesses(*L, Accesses))
      markParallel(*L, Accesses);
  }
  return PreservedAnalyses::all();
}

} // namespace kernix
