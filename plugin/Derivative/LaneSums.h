//===- LaneSums.h - gradients of shared elements that the lanes of a warp sum in each iteration -----------------===//
//
// In a loop over staged elements all threads of a block read the same ones: `for k: s += centre[k].x * ...`. What the
// lanes of a warp give to the gradient of such an element is summed by shuffles at the end of the reversed iteration,
// for all elements of the iteration at once, and added to memory by one lane for each.
//
// Threads may leave the loop in different iterations. Going backwards, each would begin with its own last one, and
// lanes would be in different iterations all the time. So they begin together with the last one of the whole warp, and
// who has had fewer iterations waits for its own: they go in step.
//
// Only for NVIDIA's GPUs; on the CPU target the threads of a block are a loop. How it is written down is in
// SumLanes.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LANESUMS_H
#define KERNIX_DERIVATIVE_LANESUMS_H

#include "Derivative/LoopPlan.h"
#include "Derivative/UniformValues.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class Accumulation;
class CollectivePaths;

class LaneSums {
public:
  struct Item {
    const llvm::LoadInst *Load = nullptr;
    /// Lanes with the same threadIdx.y and z read one element, rather than the whole warp.
    bool IsOfRow = false;
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
           const LoopPlans &Plans, const Accumulation &Accumulations, llvm::FunctionAnalysisManager &FAM);

  /// The loops that have such loads, also those where something is in the way.
  const llvm::MapVector<const llvm::Loop *, Plan> &plans() const { return Found; }
  /// Null: nothing is summed there.
  const Plan *of(const llvm::Loop *L) const {
    auto Entry = Found.find(L);
    return Entry != Found.end() && !Entry->second.Items.empty() ? &Entry->second : nullptr;
  }

private:
  std::string obstacleIn(const llvm::Loop &L, bool &InStep) const;
  std::string obstacleOf(const llvm::Value &Pointer, const llvm::Loop &L, bool InStep) const;
  bool isOfRow(const llvm::Value *V) const;

  MemoryObjects &Objects;
  const UniformValues &Uniform;
  const SharedContents &Contents;
  const LoopPlans &Plans;
  llvm::LoopInfo &Loops;
  llvm::MapVector<const llvm::Loop *, Plan> Found;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LANESUMS_H
