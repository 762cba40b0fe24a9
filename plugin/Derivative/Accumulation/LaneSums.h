//===- LaneSums.h - gradients of shared elements that the lanes of a warp sum in each iteration -----------------===//
//
// In a loop over staged elements all threads of a block read the same ones: `for k: s += centre[k].x * ...`. What the
// lanes of a warp give to the gradient of such an element is summed by shuffles at the end of the reversed iteration,
// for all elements of the iteration at once, and added to memory by one lane for each.
//
// In blocks whose rows are parts of a warp, lanes of one row read one element `a[k][threadIdx.y]`, and lanes of one
// column another `b[k][threadIdx.x]`.
//
// Threads may leave the loop in different iterations. Going backwards, each would begin with its own last one, and
// lanes would be in different iterations all the time. So they begin together with the last one of the whole warp, and
// who has had fewer iterations waits for its own: they go in step.
//
// Only for NVIDIA's GPUs; on the CPU target the threads of a block are a loop. How it is written down is in
// SumLanes.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_LANESUMS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_LANESUMS_H

#include "Derivative/Accumulation/WarpTotals.h"
#include "Derivative/Analysis/UniformValues.h"
#include "Derivative/Loops/LoopPlan.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class Accumulation;
class CollectivePaths;
class FloatShadows;
class SharedSumPlans;
class SharedTurnPlans;

class LaneSums {
public:
  struct Item {
    const llvm::LoadInst *Load = nullptr;
    LaneGroup Group;                ///< of lanes that read one element
    bool IsCountedAtLaunch = false; ///< how many lanes are in a group
    bool AssumesWidth = false;      ///< that blocks are as wide as the source says
  };
  struct Plan {
    llvm::SmallVector<Item, 8> Items;
    bool InStep = false;                     ///< threads may have different numbers of iterations
    bool AreSure = false;                    ///< all threads come to all loads in each iteration
    std::string Reason;                      ///< what stopped it; empty if nothing did
    const llvm::LoadInst *Stopped = nullptr; ///< one of the loads that Reason speaks of
  };

  LaneSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
           const UniformValues &Uniform, const CollectivePaths &Paths, const SharedContents &Contents,
           const LoopPlans &Plans, const Accumulation &Accumulations, const FloatShadows &ShadowsInFloat,
           const SharedTurnPlans &Turns, const SharedSumPlans &Sums, llvm::FunctionAnalysisManager &FAM);

  /// The loops that have such loads, also those where something is in the way.
  const llvm::MapVector<const llvm::Loop *, Plan> &plans() const { return Found; }
  /// Whether any groups are those of blocks that are as wide as the source says.
  bool assumeWidth() const { return AssumeWidth; }
  /// Null: nothing is summed there.
  const Plan *of(const llvm::Loop *L) const {
    auto Entry = Found.find(L);
    return Entry != Found.end() && !Entry->second.Items.empty() ? &Entry->second : nullptr;
  }

private:
  std::string obstacleIn(const llvm::Loop &L, bool &InStep) const;
  std::string obstacleOf(const llvm::Value &Pointer, const llvm::Loop &L, bool InStep) const;
  bool isComputedFrom(const llvm::Value *V, llvm::function_ref<bool(llvm::StringRef Id)> IsRight) const;
  std::optional<Item> itemFor(const llvm::LoadInst &Load);

  MemoryObjects &Objects;
  std::array<int64_t, 3> Block;
  const UniformValues &Uniform;
  const SharedContents &Contents;
  const LoopPlans &Plans;
  llvm::LoopInfo &Loops;
  llvm::MapVector<const llvm::Loop *, Plan> Found;
  bool AssumeWidth = false;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_LANESUMS_H
