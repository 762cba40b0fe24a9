//===- Assumptions.h - what the arguments of a call have to satisfy ---------------------------------------------===//
//
// y[i] and y[n + i] are two elements unless n is zero. Whether two addresses differ may depend on arguments; then it is
// assumed that they do, and the derivative looks before it relies on it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_ASSUMPTIONS_H
#define KERNIX_DERIVATIVE_ADDRESSES_ASSUMPTIONS_H

#include "Derivative/Analysis/Memory.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace kernix {

/// Distance, a value that depends on arguments alone, is at least Size or at most -Size.
struct Assumption {
  const llvm::SCEV *Distance = nullptr;
  uint64_t Size = 1;

  bool operator==(const Assumption &) const = default;
};

using Assumptions = llvm::SmallVector<Assumption, 1>;

/// What has to hold so that Second lies at least Size bytes before or after First; nothing if the difference depends on
/// more than arguments. An assumption of size zero: nothing has to.
std::optional<Assumption> assumeApart(const llvm::SCEV *First, const llvm::SCEV *Second, uint64_t Size,
                                      MemoryObjects &Objects, llvm::ScalarEvolution &Evolution);

/// What has to hold so that multiples of Step are elements of Size bytes that do not overlap.
std::optional<Assumptions> assumeStep(const llvm::SCEV *Step, uint64_t Size, MemoryObjects &Objects);

/// Whether all assumptions hold, computed where the builder stands. ArgumentOf yields the value of an argument of the
/// prepared function.
llvm::Value *whetherHolds(const Assumptions &All, MemoryObjects &Objects, llvm::IRBuilderBase &B,
                          llvm::function_ref<llvm::Value *(const llvm::Argument &)> ArgumentOf);

/// Adds those that are not there yet.
void addAssumptions(Assumptions &To, const Assumptions &From);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_ASSUMPTIONS_H
