//===- PhaseLoops.h - the loops over the threads of a block, under construction ---------------------------------===//
//
// One class in several files: the order of the phases (Phases.cpp), one loop over the threads (PhaseNests.cpp), threads
// that are not all at one cut (PhaseRounds.cpp), steps that are taken together (PhaseSteps.cpp), what lanes give each
// other (PhaseShuffles.cpp).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_PHASELOOPS_H
#define KERNIX_PLUGIN_CPUTARGET_PHASELOOPS_H

#include "CpuTarget/GridLoop.h"
#include "CpuTarget/PhasePlan.h"
#include "CpuTarget/Uniformity.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace kernix {

class PhaseLoops {
public:
  PhaseLoops(GridLoop &Grid, PhasePlan Plan, const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders,
             bool UsesShared)
      : Grid(Grid), Plan(std::move(Plan)), Uniform(*Grid.Made, this->Plan), Graph(Graph), PlaceReaders(PlaceReaders),
        Builder(Grid.Builder), Context(Grid.Context), F(*Grid.Made), UsesShared(UsesShared) {}
  /// Lays the frame out; false if it, or the code of all phases together, would be too large.
  bool prepare();
  uint64_t build();
  bool areSideBySide() const { return StripBlocks > 1; }

private:
  /// A loop over the threads of the block, under construction.
  struct Nest {
    llvm::BasicBlock *Next, *After; // where a thread's turn ends; where the loop does
    llvm::Value *Thread[3];
    llvm::Value *Linear; // 64 bits
    llvm::DenseMap<llvm::AllocaInst *, llvm::Value *> Slots;
    llvm::Instruction *SlotsEnd; // addresses are computed before it
    bool IsMixed = false;        // its threads have uniform values of their own
  };

  static constexpr unsigned Done = 0x7fffffff; ///< the cut of a thread that has returned

  // Phases.cpp
  void layOutFrame();
  unsigned blocksSideBySide();
  bool mayRunWarpByWarp() const;
  void countThreads();
  llvm::BasicBlock *openWarps();
  void closeWarps(llvm::BasicBlock *Header);
  bool asksRuntime(unsigned Cut) const;
  void emitPhase(llvm::BasicBlock *At, llvm::BasicBlock *From);
  void emitArrival(unsigned Cut);
  void emitPrefetch();

  // PhaseNests.cpp
  Nest openNest(llvm::StringRef Name, bool IsMixed = false);
  void closeNest(Nest &N);
  llvm::Value *activeWidth();
  llvm::Value *activeThreads();
  llvm::Value *slotBase(llvm::AllocaInst *Slot);
  llvm::Value *slot(Nest &N, llvm::AllocaInst *Slot);
  bool isUniformSlot(llvm::AllocaInst *Slot) const { return Uniform.staysTogether() && Uniform.slots().contains(Slot); }
  llvm::Value *rematerializeIn(Nest &N, llvm::Value *V);
  llvm::Value *rematerializePerBlock(llvm::Value *V);
  std::optional<unsigned> cutAt(const llvm::BasicBlock *Block) const;
  llvm::SetVector<unsigned> reachableCuts(llvm::BasicBlock *From) const;
  llvm::SetVector<llvm::BasicBlock *> region(llvm::BasicBlock *From) const;
  unsigned regionSize(llvm::BasicBlock *From) const;
  llvm::BasicBlock *stop(Nest &N, unsigned Cut, bool StoresNext);
  void adopt(Nest &N, llvm::BasicBlock *Block);
  void cloneRegion(Nest &N, llvm::BasicBlock *From, bool StoresNext, llvm::ValueToValueMapTy &Map,
                   const StepLoop *Loop = nullptr);

  // PhaseRounds.cpp
  bool keepInOutline(const llvm::Instruction &I) const;
  void emitOutline(llvm::BasicBlock *From);
  llvm::BasicBlock *toMixed(llvm::BasicBlock *Mixed);
  void cellsFromFirstThread();
  void emitUniformTest(const llvm::SetVector<unsigned> &Cuts);
  void emitMixed();

  // PhaseSteps.cpp
  llvm::Value *reduceSlot(llvm::AllocaInst *Slot, llvm::Intrinsic::ID Operation);
  llvm::Value *emitSmallestStart(const StepLoop &L);
  llvm::Value *emitStepCheck(const StepLoop &L, llvm::Value *Step, llvm::Value *Bound, llvm::Value *Smallest);
  void emitStep(const StepLoop &L, llvm::Value *Offset, llvm::Value *Moved);
  void emitSteps(unsigned Cut);

  // PhaseShuffles.cpp
  void emitShuffle(const Cut &Shuffle);
  void emitPermutation(llvm::ArrayRef<int> Lanes, llvm::Value *Count);
  void emitReads(llvm::Value *Count);

  GridLoop &Grid;
  PhasePlan Plan;
  Uniformity Uniform;
  const DeviceCallGraph &Graph;
  const FunctionSet &PlaceReaders;
  llvm::IRBuilder<> &Builder;
  llvm::LLVMContext &Context;
  llvm::Function &F;
  const bool UsesShared;
  unsigned StripBlocks = 1; // more than one: blocks side by side, one wide block
  bool IsWarpByWarp = false;
  llvm::SmallVector<llvm::BasicBlock *> Original;
  llvm::MapVector<llvm::AllocaInst *, std::pair<uint64_t, uint64_t>> Offsets; // in a frame, and bytes
  uint64_t FrameBytes = 0, KeptFrameBytes = 0; // all of it, and the kernel's own variables
  llvm::AllocaInst *Active = nullptr;          // holds how many of Width have not returned; null: always all
  llvm::Value *Width = nullptr;                // threads in x
  llvm::Value *FirstThread = nullptr;          // of them, its threadIdx.x; null: 0
  llvm::Value *Frame = nullptr, *Threads = nullptr, *Rounded = nullptr; // 64 bits
  llvm::MapVector<llvm::AllocaInst *, std::pair<llvm::Value *, llvm::AllocaInst *>>
      Cells; // by uniform slot: the block's, and a thread's copy
  llvm::SmallVector<llvm::Value *> BlockIdx;
  llvm::SmallVector<llvm::BasicBlock *> PhaseBlock, ArrivalBlock; // by cut
  llvm::BasicBlock *MixedBlock = nullptr, *MixedRound = nullptr, *BlockEnd = nullptr;
};

} // namespace kernix

#endif
