//===- WarpDecisions.h - branches that the lanes of a warp take alike by exchanging what they decide on ---------===//
//
//   for (int step = 16; step; step /= 2)
//     sum += __shfl_xor_sync(~0u, sum, step);
//   if (sum < tolerance)
//     break;
//
// A sum or a maximum over all lanes by exchanges is the same in all of them, up to how the first product is rounded.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_WARPDECISIONS_H
#define KERNIX_DERIVATIVE_ANALYSIS_WARPDECISIONS_H

#include "Derivative/Analysis/Memory.h"

namespace kernix {

/// Makes the lanes of a warp take the first one's way where a warp function depends on a branch whose condition is made
/// of such values, and all of them come to it: they decide alike also where fused arithmetic rounds otherwise.
void decideInWarps(const Prepared &P, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_WARPDECISIONS_H
