//===- Steps.h - what is known of the step of an address --------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_STEPS_H
#define KERNIX_DERIVATIVE_STEPS_H

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace kernix {

/// The constant that divides S: 12 of 12 * gridDim.x * blockDim.x; 1 if none is known.
uint64_t constantFactor(const llvm::SCEV *S);

/// True if S is a product of constants and extents of the launch, none of which is zero, and its constant is at least
/// Size: elements of Size bytes at multiples of it do not overlap.
bool isNonZeroStep(const llvm::SCEV *S, uint64_t Size);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_STEPS_H
