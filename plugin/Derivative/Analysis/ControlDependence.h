//===- ControlDependence.h - which branches decide whether a block runs -----------------------------------------===//
//
// Ferrante, Ottenstein, Warren 1987: a block depends on a branch if one of its edges leads to the block for certain and
// another may lead past it. These are the direct controls; who wants the controls of controls follows them.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_CONTROLDEPENDENCE_H
#define KERNIX_DERIVATIVE_ANALYSIS_CONTROLDEPENDENCE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class PostDominatorTree;
class Value;
} // namespace llvm

namespace kernix {

class ControlDependence {
public:
  ControlDependence(const llvm::Function &F, const llvm::PostDominatorTree &PostDominators);

  /// The blocks whose branch decides whether Block runs, each once; a loop's branch among those of its own block.
  llvm::ArrayRef<const llvm::BasicBlock *> of(const llvm::BasicBlock *Block) const;

private:
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<const llvm::BasicBlock *, 2>> Controls;
};

/// What decides where Block goes on; nullptr where there is one way only.
const llvm::Value *conditionOf(const llvm::BasicBlock &Block);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_CONTROLDEPENDENCE_H
