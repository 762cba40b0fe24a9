//===- ParallelThreads.cpp - kernix-cpu-parallel -----------------------------------------------------------------===//
//
// The threads of a block that never wait for each other may run in any order, side by side: CUDA calls it a race if one
// touches what another writes. So the loads and stores of the loop over threadIdx.x carry no dependence from one
// iteration to another, which is what llvm.loop.parallel_accesses says. It does not hold for stack memory, which LLVM
// has folded into one slot for all iterations, nor for the place of the running thread that calls may ask for, nor
// around atomics, which order other accesses. Additions that only one host thread makes, and whose result nobody asks
// for, order nothing; they become plain here if the threads can make them side by side.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/AtomicSums.h"
#include "CpuTarget/MovedAccesses.h"
#include "CpuTarget/Passes.h"
#include "CpuTarget/SharedMemory.h"
#include "CpuTarget/SideBySideAdds.h"
#include "CpuTarget/ThreadLoop.h"
#include "CpuTarget/WorkingThreads.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include <array>

using namespace llvm;

namespace kernix {

namespace {

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

bool isOwnAddition(const AtomicRMWInst &Atomic, const ObjectLayout &Layout) {
  return Atomic.use_empty() && !Atomic.isVolatile() && Atomic.getOrdering() == AtomicOrdering::Monotonic &&
         (Atomic.getSyncScopeID() == SyncScope::SingleThread ||
          isSharedMemory(*Atomic.getPointerOperand(), Layout, Atomic.getDataLayout()));
}

/// The loads and stores that threads do independently, and their additions to what others add to as well, all in
/// order; false if L has more.
bool collectAccesses(Loop &L, LoopInfo &LI, const ObjectLayout &Layout, SmallVectorImpl<Instruction *> &Accesses) {
  LoopBlocksRPO Order(&L);
  Order.perform(&LI);
  for (BasicBlock *Block : Order) {
    for (Instruction &I : *Block) {
      if (!I.mayReadOrWriteMemory() || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd() || isa<AssumeInst>(I) ||
          isa<NoAliasScopeDeclInst>(I))
        continue;
      if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I); Atomic && isOwnAddition(*Atomic, Layout)) {
        Accesses.push_back(&I);
        continue;
      }
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer || I.isAtomic() || I.isVolatile())
        return false;
      if (isHostThreadMemory(Pointer) && !I.hasMetadata(LLVMContext::MD_invariant_load))
        return false;
      Accesses.push_back(&I);
    }
  }
  return !Accesses.empty();
}

/// A load and a store instead of Atomic.
std::array<Instruction *, 2> makePlain(AtomicRMWInst &Atomic) {
  IRBuilder<> Builder(&Atomic);
  AAMDNodes About = Atomic.getAAMetadata();
  Value *Pointer = Atomic.getPointerOperand();
  LoadInst *Old = Builder.CreateAlignedLoad(Atomic.getType(), Pointer, Atomic.getAlign());
  Value *New = buildAtomicRMWValue(Atomic.getOperation(), Builder, Old, Atomic.getValOperand());
  StoreInst *Store = Builder.CreateAlignedStore(New, Pointer, Atomic.getAlign());
  Old->setAAMetadata(About);
  Store->setAAMetadata(About);
  Atomic.eraseFromParent();
  return {Old, Store};
}

/// Makes the additions among Accesses plain; false if the threads may not make them side by side.
bool makeAdditionsPlain(SmallVectorImpl<Instruction *> &Accesses, const Loop &L, ScalarEvolution &SE, AAResults &AA) {
  SmallVector<AtomicRMWInst *> Additions;
  for (Instruction *I : Accesses)
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(I))
      Additions.push_back(Atomic);
  if (!mayAddSideBySide(Additions, L, SE, AA))
    return false;
  SmallVector<Instruction *> Plain;
  for (Instruction *I : Accesses)
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(I))
      append_range(Plain, makePlain(*Atomic));
    else
      Plain.push_back(I);
  Accesses = std::move(Plain);
  return true;
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
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Loop *> Loops = innermostThreadLoops(LI);
  if (Loops.empty())
    return PreservedAnalyses::all();
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  // A stack slot whose address is kept somewhere could be behind any loaded pointer.
  bool MayPointToStack = any_of(instructions(F), [](const Instruction &I) {
    const auto *Slot = dyn_cast<AllocaInst>(&I);
    return Slot && escapes(*Slot);
  });
  auto &AA = FAM.getResult<AAManager>(F);
  const ObjectLayout Layout(*F.getParent());
  for (Loop *L : Loops) {
    if (sumAtomics(*L, LI, DT, AA))
      SE.forgetLoop(L);
    SmallVector<Instruction *> Accesses;
    if (MayPointToStack || !collectAccesses(*L, LI, Layout, Accesses) || !makeAdditionsPlain(Accesses, *L, SE, AA))
      continue;
    if (!wouldMoveAccesses(Accesses, *L, SE, AA))
      markParallel(*L, Accesses);
    loopOverWorkingThreads(*L, LI, DT, SE);
  }
  return PreservedAnalyses::none();
}

} // namespace kernix
