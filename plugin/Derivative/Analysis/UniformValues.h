//===- UniformValues.h - what is the same for all threads of a block or warp ------------------------------------===//
//
// Decided on canonical names, so that both targets decide the same. The extents of the block are not known here: that
// `threadIdx.x / 32` or `threadIdx.y` is the same for a warp holds where warps are rows of the block. Code whose lanes
// would otherwise come to a warp function on different ways relies on that itself; derivatives must not.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_UNIFORMVALUES_H
#define KERNIX_DERIVATIVE_ANALYSIS_UNIFORMVALUES_H

#include "Derivative/Analysis/Memory.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class LoopInfo;
}

namespace kernix {

class UniformValues {
public:
  /// Who has the same value, or the same path: a block; the lanes of a warp that take part; these if the extent of the
  /// block along x is a multiple of 32, or its only one; nobody else.
  enum Level { Block, Warp, WarpOfRow, Thread };
  using BlockSet = llvm::SmallPtrSet<const llvm::BasicBlock *, 8>;

  /// Which lanes of a warp: those that come to a warp function together, where the primal asks for no others; or all,
  /// of which nothing is taken for granted. Then RowsAreWarps says whether the extent of the block along x is known to
  /// be a multiple of 32.
  struct Lanes {
    bool All, RowsAreWarps;
  };
  /// IsOfWarp: what is known of a value beside, that the lanes of a warp have it in common.
  UniformValues(const Prepared &P, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM,
                llvm::function_ref<bool(const llvm::Instruction &)> IsOfWarp = nullptr, Lanes Which = {false, false});

  Level of(const llvm::Value *V) const { return Levels.lookup(V); }
  /// Of the condition by which a block ends.
  Level ofBranch(const llvm::BasicBlock *Branch) const;
  /// The blocks whose branch decides, perhaps by way of another, whether Block runs.
  const BlockSet &controls(const llvm::BasicBlock *Block) const { return Controls.find(Block)->second; }

private:
  Level levelOf(const llvm::Instruction &I);
  Level ofPhi(const llvm::PHINode &Phi);
  Level ofCall(const llvm::CallBase &Call, Level Operands);
  Level ofLoad(const llvm::LoadInst &Load);

  MemoryObjects &Objects;
  llvm::LoopInfo &Loops;
  Lanes Which;
  llvm::DenseMap<const llvm::Value *, Level> Levels;
  llvm::DenseMap<const llvm::BasicBlock *, BlockSet> Controls;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<const llvm::BasicBlock *, 4>> Deciders; ///< of joins
  llvm::SmallPtrSet<const MemoryObject *, 8> Written;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_UNIFORMVALUES_H
