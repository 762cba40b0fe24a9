//===- Division.h - keeping divisions where the source has them -------------------------------------------------===//
//
// LLVM may execute an fdiv speculatively, so that its passes hoist one out of the guard `if (y != 0)`. While a function
// is prepared, divisions are therefore calls of kernix.fdiv, which has no such licence.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_DIVISION_H
#define KERNIX_DERIVATIVE_CANONICAL_DIVISION_H

namespace llvm {
class Function;
}

namespace kernix {

void hideDivisions(llvm::Function &F);
void restoreDivisions(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_DIVISION_H
