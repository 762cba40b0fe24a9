//===- SharedTurns.h - gradients of shared elements that need no atomic additions -------------------------------===//
//
// Several threads read an element of a tile, each by another load: its own, its neighbour's, the one below. Of one load
// different threads read different elements. So the loads take turns: what all threads give by one of them is added
// with a load, an addition and a store, then a barrier, then the next. Loads whose elements are too far apart for
// threads to meet share a turn. NVIDIA's GPUs have no atomic addition of floats in shared memory, only loops.
//
// Turns are taken where all threads of the block come, which is where the branches around the loads have been reversed.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Analysis/UniformValues.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class CollectivePaths;

/// Where turns are taken in the backward function, all at a time.
struct SharedTurns {
  struct Item {
    const llvm::LoadInst *Load = nullptr;
    bool IsSure = false; ///< all threads of the block come to the load
  };
  std::vector<llvm::SmallVector<Item, 4>> Turns;
  LaunchConditions Assumed;
};

class SharedTurnPlans {
public:
  /// The first instruction, in the source's order, that is reversed after the turns. Before a block's first
  /// instruction: null.
  using Position = std::pair<const llvm::BasicBlock *, const llvm::Instruction *>;

  SharedTurnPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                  const UniformValues &Uniform, const CollectivePaths &Paths, Accumulation &Accumulations,
                  llvm::FunctionAnalysisManager &FAM);

  const llvm::MapVector<Position, SharedTurns> &plans() const { return Plans; }
  /// Whether the reverse of I comes after all turns of what follows it.
  static bool isBorder(const llvm::Instruction &I, MemoryObjects &Objects);

private:
  struct Candidate {
    SharedTurns::Item Item;
    const MemoryObject *Object = nullptr;
    Polynomial Form;
    LaunchConditions Assumed;
  };

  std::optional<Candidate> candidate(const llvm::LoadInst &Load);
  std::optional<Position> positionOf(const llvm::LoadInst &Load);
  bool isUniform(const llvm::BasicBlock &Block) const;
  bool hasBorder(const llvm::BasicBlock &From, const llvm::LoadInst &To) const;
  SharedTurns arrange(llvm::ArrayRef<Candidate> All);

  MemoryObjects &Objects;
  const UniformValues &Uniform;
  IndexForms &Forms;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
  unsigned UsedIds = 0;
  llvm::MapVector<Position, SharedTurns> Plans;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H
