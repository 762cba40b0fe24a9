//===- Steps.h - what is known of the step of an address --------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_STEPS_H
#define KERNIX_DERIVATIVE_ADDRESSES_STEPS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <optional>

namespace kernix {

/// The constant that divides S: 12 of 12 * gridDim.x * blockDim.x; 1 if none is known.
uint64_t constantFactor(const llvm::SCEV *S);

/// True if S is a product of constants and extents of the launch, none of which is zero, and its constant is at least
/// Size: elements of Size bytes at multiples of it do not overlap.
bool isNonZeroStep(const llvm::SCEV *S, uint64_t Size);

/// How an address moves in the iterations of a loop.
struct Steps {
  const llvm::SCEV *Start = nullptr, *Step = nullptr;
};

/// S in the iterations of L, if it is affine there. 32-bit indices are taken not to wrap: one that does would leave the
/// tensor.
std::optional<Steps> stepsIn(const llvm::SCEV *S, const llvm::Loop *L, llvm::ScalarEvolution &Evolution);

/// A sum of constants times terms that are not looked into, plus a constant.
struct LinearForm {
  int64_t Constant = 0;
  llvm::SmallMapVector<const llvm::SCEV *, int64_t, 4> Terms;
};

/// S as a linear form; indices are taken not to wrap.
LinearForm linearForm(const llvm::SCEV *S, llvm::ScalarEvolution &Evolution);

/// First - Second, if that is a constant.
std::optional<int64_t> constantDistance(const llvm::SCEV *First, const llvm::SCEV *Second,
                                        llvm::ScalarEvolution &Evolution);

/// Whether a First and a Second element do not overlap at this distance, First - Second, and any multiple of Common
/// added to it.
bool areApart(int64_t Distance, uint64_t Common, uint64_t FirstSize, uint64_t SecondSize);

/// True if the elements of so many bytes at First and Second never overlap, whichever iterations of their loops (these,
/// and the loops around them) the two are in.
bool neverMeet(const llvm::SCEV *First, const llvm::Loop *FirstLoop, uint64_t FirstSize, const llvm::SCEV *Second,
               const llvm::Loop *SecondLoop, uint64_t SecondSize, llvm::ScalarEvolution &Evolution);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_STEPS_H
