//===- OwnReferences.h - integers behind references become variables ------------------------------------------===//
//
//   void f(double x, int &steps) { steps = 0; while (...) ++steps; ... steps ... }
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_OWNREFERENCES_H
#define KERNIX_DERIVATIVE_PREPARE_OWNREFERENCES_H

namespace llvm {
class Function;
}

namespace kernix {

struct DerivativeRequest;

/// In a copy that a backward function is made of, integers that are written through a reference are written to a
/// variable instead, which starts as what is there, and an output's as zeros. A backward function writes nothing there,
/// and what has been written it computes again as it does with variables. What other threads may look at stays.
void ownReferences(llvm::Function &F, const DerivativeRequest &Request);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_OWNREFERENCES_H
