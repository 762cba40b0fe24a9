//===- SecondReverse.h - the backward derivative of a backward kernel -------------------------------------------===//
//
// With v the cotangents of the gradients that f_bwd computes, its own backward derivative is
//   for the inputs      H v,  the forward derivative of f_bwd along v, since second derivatives are symmetric;
//   for the cotangents  J v,  the forward derivative of f along v.
// Both run forwards: nothing of what f_bwd keeps for itself has to be kept once more, and whatever f_bwd does in loops,
// with local arrays and in place of registers needs no reverse. Not where symmetry or the roles of memory are in doubt:
// functions that change tensors in place, read back what they stored, share memory between threads, or call derivatives
// that users wrote.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_SECONDREVERSE_H
#define KERNIX_DERIVATIVE_REVERSE_SECONDREVERSE_H

#include "Derivative/Refusal.h"
#include "llvm/IR/PassManager.h"

namespace kernix {

/// Writes the body of Request if it is of this kind; Requests are all of the module, whose earlier ones are filled.
/// False: it is not, and nothing is changed. What is refused on the way is reported.
bool writeSecondReverse(const DerivativeRequest &Request, llvm::ArrayRef<DerivativeRequest> Requests,
                        llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_SECONDREVERSE_H
