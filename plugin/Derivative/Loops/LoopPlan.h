//===- LoopPlan.h - how each loop is reversed -------------------------------------------------------------------===//
//
// Each iteration is computed again and then reversed, so that nothing inside an iteration is stored. What a plan
// decides is the order of the iterations, and how an iteration gets the values that it starts from.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LOOPS_LOOPPLAN_H
#define KERNIX_DERIVATIVE_LOOPS_LOOPPLAN_H

#include "Derivative/Analysis/Need.h"
#include "Derivative/Shared/SharedContents.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"

namespace llvm {
class ScalarEvolution;
}

namespace kernix {

/// How a reversed iteration gets the value of a phi of the loop's header.
struct CarriedValue {
  enum KindType {
    Unused, ///< nothing reads it again
    Affine, ///< initial value + iteration * Step
    Stored, ///< kept by the forward sweep
    Kept    ///< what the iteration before has given it, one of LoopPlan::Kept
  };
  KindType Kind = Unused;
  llvm::Value *Step = nullptr; ///< of Affine: an integer, in bytes for a pointer
  bool Negative = false;       ///< subtract it
};

/// A local variable that a reversed iteration has to find as the forward sweep left it.
struct CarriedMemory {
  const llvm::AllocaInst *Variable = nullptr;
  uint64_t Size = 0;
};

/// Of loops without a bound.
constexpr unsigned CheckpointLevels = 4;
constexpr uint64_t CheckpointsOfLevel = 64;

struct LoopPlan {
  enum OrderType {
    Nothing,  ///< nothing in it is reversed
    Forwards, ///< active state is only added to: iterations run in the order of the source
    Backwards
  };
  OrderType Order = Nothing;
  /// All that is computed again in a reversed iteration: what the adjoints in the loop read of it, since what is read
  /// after the loop only would be computed from values that nothing has kept. Where what runs again is no matter of
  /// this loop alone, all that any adjoint reads.
  const Need *Inside = nullptr;
  llvm::MapVector<llvm::PHINode *, CarriedValue> Carried; ///< of Backwards
  /// Values whose adjoint is that of the sum they are part of, by the phi that carries the sum.
  llvm::DenseMap<const llvm::Value *, llvm::PHINode *> Sums;
  /// Kept for each iteration (Backwards), and kept once when the loop is entered (both).
  llvm::SmallVector<CarriedMemory, 2> MemoryOfIterations, MemoryAtEntry;
  /// What an iteration hands on to the next (Forwards), to be put back behind the loops in it that are reversed.
  llvm::SmallVector<CarriedMemory, 2> MemoryHandedOn;
  /// Values of an iteration that are not computed again but kept for each: the source says so.
  llvm::SetVector<llvm::Instruction *> Kept;
  /// Most iterations there can be; 0: not known.
  uint64_t Bound = 0;
  /// The bound is a promise of the source, to be checked.
  bool BoundIsPromised = false;
  /// The bound is what a tape has room for where there can be no checkpoints.
  bool BoundIsOfUndo = false;

  /// How often the state of an iteration is kept.
  uint64_t slots() const { return Bound ? Bound : CheckpointLevels * CheckpointsOfLevel; }
};

class LoopPlans {
public:
  LoopPlans(const Prepared &P, MemoryObjects &Objects, Activity &Active, const LoopNeeds &Needs,
            SharedContents &Contents, const SingleStores &Stores, llvm::FunctionAnalysisManager &FAM,
            Refusals &Refused);
  const LoopPlan &of(const llvm::Loop *L) const { return Plans.find(L)->second; }

private:
  void plan(llvm::Loop &L);
  void choose(llvm::Loop &L, LoopPlan &Plan);
  void findKept(llvm::Loop &L, LoopPlan &Plan);
  bool runsForwards(llvm::Loop &L, LoopPlan &Plan);
  bool followSum(llvm::Loop &L, llvm::PHINode &Phi, LoopPlan &Plan);
  CarriedValue carried(llvm::Loop &L, const LoopPlan &Plan, llvm::PHINode &Phi);
  void planMemory(llvm::Loop &L, LoopPlan &Plan);
  void checkMemory(llvm::Loop &L, const LoopPlan &Plan);
  bool readsBeforeWriting(llvm::Loop &L, const MemoryObject &O);

  const Prepared &P;
  MemoryObjects &Objects;
  Activity &Active;
  const LoopNeeds &Needs;
  SharedContents &Contents;
  const SingleStores &Stores;
  llvm::LoopInfo &Loops;
  llvm::ScalarEvolution &Evolution;
  llvm::DominatorTree &Dominators;
  Refusals &Refused;
  llvm::DenseMap<const llvm::Loop *, LoopPlan> Plans;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LOOPS_LOOPPLAN_H
