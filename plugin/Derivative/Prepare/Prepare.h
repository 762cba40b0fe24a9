//===- Prepare.h - the form of a function that is differentiated ------------------------------------------------===//
//
// A private copy of the primal in which calls are raised or inlined and memory that can be registers is. The primal
// itself is not touched. Nothing runs in the copy that the source does not run: no speculation, no hoisting out of a
// guard, since the adjoint of an operation that did not run may be 0 * inf.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_PREPARE_H
#define KERNIX_DERIVATIVE_PREPARE_PREPARE_H

#include "Derivative/Refusal.h"
#include "Derivative/Requests.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Argument;
}

namespace kernix {

/// What an argument of the prepared copy is.
struct PreparedArgument {
  unsigned Parameter = 0;
  /// The pointer leaf whose value the argument is; -1 if it is the parameter's own address.
  int Leaf = -1;
};

struct Prepared {
  llvm::Function *F = nullptr; ///< private to the pass; erase it when done
  /// First the addresses of the parameters, then the pointers of active pointer leaves (noalias in kernels).
  llvm::SmallVector<PreparedArgument, 8> Arguments;
  bool valid() const { return F; }
};

/// F is null, and the errors are reported, if the function cannot be brought into the form.
Prepared prepare(const DerivativeRequest &Request, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

/// LoopSimplify and LCSSA form, and one return.
void canonicalLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// The metadata of a loop that [[kernix::max_iters(N)]] stands before; 0: none.
int64_t maxIterationsOf(const llvm::MDNode *LoopId);

/// Whether [[kernix::store]] or [[kernix::recompute]] (the annotations' names) is said of a loop.
bool isMarked(const llvm::MDNode *LoopId, llvm::StringRef Mark);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_PREPARE_H
