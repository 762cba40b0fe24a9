//===- CollectivePaths.h - whether threads come together to barriers and warp functions -------------------------===//
//
// A backward function runs the barriers of the primal again, in the opposite order. That works if the threads of a
// block (of a mask, for warp functions) take the same way to them. Threads that return before all of them, and have
// stored nothing, return in the backward function at the same place.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_COLLECTIVEPATHS_H
#define KERNIX_DERIVATIVE_ANALYSIS_COLLECTIVEPATHS_H

#include "Derivative/Analysis/Need.h"
#include "Derivative/Analysis/UniformValues.h"

namespace llvm {
class DominatorTree;
}

namespace kernix {

/// Whether threads that come to the block return and do nothing more.
bool onlyReturns(const llvm::BasicBlock *Block);

/// Calls of activemask to which whole warps come, threads that have returned aside, become kernix.lanes: these can be
/// found again.
void nameActiveLanes(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects,
                     llvm::FunctionAnalysisManager &FAM);

class CollectivePaths {
public:
  /// IsRun: whether the backward function runs this collective. Reports those that threads do not reach together.
  CollectivePaths(const Prepared &P, MemoryObjects &Objects, Activity &Active, const UniformValues &Uniform,
                  llvm::function_ref<bool(const llvm::CallInst &)> IsRun, llvm::FunctionAnalysisManager &FAM,
                  Refusals &Refused);

  /// Whether threads that take this edge return there, without anything to be reversed.
  bool endsThreads(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const {
    return Returns.lookup(From) == To && To;
  }
  /// Whether there are such threads: a block may then be without some of its threads, or of its warps.
  bool endsAnyThreads() const { return !Returns.empty(); }

private:
  const llvm::BasicBlock *returningSide(const llvm::BasicBlock &Branch);
  bool stores(const llvm::Instruction &I);

  Activity &Active;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
  llvm::SmallVector<const llvm::Instruction *, 8> Collectives, Stores;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> Returns;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_COLLECTIVEPATHS_H
