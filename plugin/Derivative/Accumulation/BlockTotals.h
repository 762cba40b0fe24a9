//===- BlockTotals.h - sums over a block before memory is touched -----------------------------------------------===//
//
// The warps of a block sum what their lanes give, by shuffles, and the first warp sums that. Several sums are taken
// together (WarpTotals.h), and different lanes add them to memory.
//
// Only for NVIDIA's GPUs.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_BLOCKTOTALS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_BLOCKTOTALS_H

#include "Derivative/Accumulation/WarpSums.h"

namespace kernix {

/// Shared memory of one addition over a block: a number for each warp.
constexpr uint64_t BytesOfBlockSum = 32 * sizeof(double);
/// One atomic addition per block for each of Additions. All threads of the block have to come here.
void addOverBlock(llvm::IRBuilder<> &B, llvm::ArrayRef<UniformAddition> Additions);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_BLOCKTOTALS_H
