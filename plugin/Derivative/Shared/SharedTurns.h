//===- SharedTurns.h - gradients of shared elements that need no atomic additions -------------------------------===//
//
// Several threads read an element of a tile, each by another load: its own, its neighbour's, the one below. Of one load
// different threads read different elements. So the loads take turns: what all threads give by one of them is added
// with a load, an addition and a store, then a barrier, then the next. Loads whose elements are too far apart for
// threads to meet share a turn. NVIDIA's GPUs have no atomic addition of floats in shared memory, only loops.
//
// Where threads can meet only if they are in one row of the block, and rows are parts of a warp, the warp waits for
// itself instead of the block.
//
// Turns are taken where all threads of the block come, which is where the branches around the loads have been reversed.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Analysis/UniformValues.h"
#include "llvm/ADT/MapVector.h"
#include <array>

namespace kernix {

class CollectivePaths;

/// Where turns are taken in the backward function, all at a time.
struct SharedTurns {
  struct Item {
    const llvm::LoadInst *Load = nullptr;
    bool IsSure = false; ///< all threads of the block come to the load
    /// Its only use, if that is a product with a constant or with what memory still has when its turn comes. What is
    /// kept until then is the product's adjoint, which several loads may have in common.
    const llvm::Instruction *Product = nullptr;
    const llvm::Value *Factor = nullptr;
  };
  struct Turn {
    llvm::SmallVector<Item, 4> Items;
    bool IsForWarps = false;  ///< it follows on the turn before as soon as the warp is there
    bool IsForNobody = false; ///< what is added is read by nobody, if the conditions hold
  };
  std::vector<Turn> Turns;
  LaunchConditions Assumed;
};

/// What a load reads of a shared variable: bytes from its beginning, and what that assumes of the launch.
struct FormOfTurn {
  const MemoryObject *Object = nullptr;
  Polynomial Offset;
  LaunchConditions Assumed;
};

/// Nothing where two threads of the block may read the same element. UsedIds: see idsRead. With Fixed, threads are
/// compared that are in the same iteration of that loop.
std::optional<FormOfTurn> formOfTurn(IndexForms &Forms, const llvm::LoadInst &Load, MemoryObjects &Objects,
                                     unsigned UsedIds, const llvm::Loop *Fixed = nullptr);

/// A block as the source says that it is, or else a usual one, for which the conditions hold and in which the ids that
/// are read vary. Nothing: nobody would launch it so that threads are told apart.
std::optional<std::array<int64_t, 3>> shapeOfTurns(const LaunchConditions &Conditions, const DerivativeRequest &Request,
                                                   unsigned UsedIds);

/// Whether all threads of the block come to Block, or none.
bool isForAllThreads(const UniformValues &Uniform, const llvm::BasicBlock &Block);

class SharedTurnPlans {
public:
  /// The first instruction, in the source's order, that is reversed after the turns. Before a block's first
  /// instruction: null.
  using Position = std::pair<const llvm::BasicBlock *, const llvm::Instruction *>;

  SharedTurnPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                  const UniformValues &Uniform, const CollectivePaths &Paths, Accumulation &Accumulations,
                  llvm::FunctionAnalysisManager &FAM);

  const llvm::MapVector<Position, SharedTurns> &plans() const { return Plans; }
  bool contains(const llvm::LoadInst *Load) const;
  /// Whether I takes gradients of shared memory away, or lets other threads read them.
  static bool isBorder(const llvm::Instruction &I, MemoryObjects &Objects);
  /// The same for the gradient of one variable.
  static bool isBorderFor(const llvm::Instruction &I, const MemoryObject &Object, MemoryObjects &Objects);

private:
  struct Candidate {
    SharedTurns::Item Item;
    FormOfTurn Form;
  };

  std::optional<Candidate> candidate(const llvm::LoadInst &Load);
  std::optional<Position> positionOf(const Candidate &C);
  void findWriters(const llvm::Function &F, Activity &Active);
  bool isReadByNobody(const Candidate &C, llvm::ArrayRef<int64_t> Shape, LaunchConditions &Needed);
  void findFactor(SharedTurns::Item &Item, const llvm::BasicBlock &Where);
  bool hasBorder(const llvm::BasicBlock &From, const Candidate &To) const;
  SharedTurns arrange(llvm::ArrayRef<Candidate> All);
  bool areApart(const Candidate &A, const Candidate &B, llvm::ArrayRef<int64_t> Shape, LaunchConditions &Needed);
  bool meetInRowsOnly(const Candidate &A, const Candidate &B, llvm::ArrayRef<int64_t> Shape, LaunchConditions &Needed);

  const DerivativeRequest &Request;
  MemoryObjects &Objects;
  const UniformValues &Uniform;
  IndexForms &Forms;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
  /// Stores of active values to shared variables; to those of Unclear other operations may write, too.
  llvm::DenseMap<const MemoryObject *, llvm::SmallVector<const llvm::StoreInst *, 4>> Writers;
  llvm::SmallPtrSet<const MemoryObject *, 4> Unclear;
  bool AllAreUnclear = false;
  unsigned UsedIds = 0;
  llvm::MapVector<Position, SharedTurns> Plans;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDTURNS_H
