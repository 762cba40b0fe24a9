//===- ChosenParts.h - what only matters where a select chooses it ----------------------------------------------===//
//
// `x == 0 ? 1 : v / x`, as rules have it, and so the bodies that are differentiated again: where the other side is
// chosen, the quotient has the adjoint zero, and zero times an infinite derivative would be no number. The adjoints of
// such instructions are asked for under the same conditions. A comparison of the adjoint with zero would do for the
// first derivative, but would itself have the derivative zero there.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_CHOSENPARTS_H
#define KERNIX_DERIVATIVE_REVERSE_CHOSENPARTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace kernix {

class ChosenParts {
public:
  /// Chosen where Condition is WhenTrue.
  struct Choice {
    llvm::Value *Condition = nullptr;
    bool WhenTrue = false;
    bool operator==(const Choice &) const = default;
  };

  explicit ChosenParts(llvm::Function &F);

  /// Where one of these is not met, I has the adjoint zero. Of instructions whose derivative may be infinite there;
  /// their block has the selects, too.
  llvm::ArrayRef<Choice> of(const llvm::Instruction &I) const {
    auto Found = Choices.find(&I);
    return Found == Choices.end() ? llvm::ArrayRef<Choice>() : llvm::ArrayRef<Choice>(Found->second);
  }

private:
  void collect(llvm::Instruction &I);

  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<Choice, 2>> Choices;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_CHOSENPARTS_H
