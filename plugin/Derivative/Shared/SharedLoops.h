//===- SharedLoops.h - loops over a tile that are unrolled before they are reversed -----------------------------===//
//
// Loads of a tile take turns where all threads of the block come (SharedTurns.h). The body of a loop is no such place
// if threads leave it in different iterations, or come to it behind a guard. Unrolled, each load is one of its own, and
// all take turns where the code around the loop is reversed.
//
// Only loops of few iterations, and only if in any one iteration no two threads read the same element.
//
// Loads of elements that many threads read are summed over these threads (SharedSums.h), and many loads at once are
// summed faster. Loops over such elements are unrolled in part, where all threads go through them together.
//
// A reversed loop computes each iteration again. So that the values of all iterations need not be kept in registers
// instead, what it reads of shared memory is marked, to be read once more where adjoints need it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHAREDLOOPS_H
#define KERNIX_DERIVATIVE_SHAREDLOOPS_H

#include "Derivative/Prepare/Prepare.h"

namespace kernix {

/// Whether I, of an unrolled loop, is cheaply computed again where its value is needed, and gives the same there.
bool isReadAgain(const llvm::Instruction &I);

/// True if something changed; loops are then no longer in canonical form.
bool unrollSharedLoops(const DerivativeRequest &Request, const Prepared &P, llvm::FunctionAnalysisManager &FAM);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHAREDLOOPS_H
