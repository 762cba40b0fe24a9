//===- BlockSums.h - elements whose gradient is summed over a block first ---------------------------------------===//
//
// All threads of a block read one element, `w[0]` or `bias[blockIdx.y]`: what they give to its gradient is summed over
// the block where it ends, and added once. Only for NVIDIA's GPUs; on the CPU target a loop over the threads of a block
// does the same. Scalar parameters are summed in this way in any case and are not here.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_BLOCKSUMS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_BLOCKSUMS_H

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Analysis/UniformValues.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kernix {

class CollectivePaths;

class BlockSums {
public:
  BlockSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
            const UniformValues &Uniform, const CollectivePaths &Paths, const Accumulation &Accumulations);

  /// Whether Pointer is the address of such an element. It is known at the function's entry.
  bool contains(const llvm::Value *Pointer) const { return Pointers.contains(Pointer); }
  /// Whether one of the addresses depends on a block id.
  bool dependOnBlock() const { return DependOnBlock; }
  /// Whether all elements of the tensor that are read are such elements.
  bool containsAllOf(const MemoryObject &O) const { return All.contains(&O); }

private:
  llvm::SmallPtrSet<const llvm::Value *, 16> Pointers;
  llvm::SmallPtrSet<const MemoryObject *, 4> All;
  bool DependOnBlock = false;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_BLOCKSUMS_H
