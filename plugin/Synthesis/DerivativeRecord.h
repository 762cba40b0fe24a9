//===- DerivativeRecord.h - the records of f_fwd and f_bwd ---------------------------------------------*- C++ -*-===//
//
// A derivative is a bound function: its record is made from that of f, so that shapes, values and launch sizes are
// those of f.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVERECORD_H
#define KERNIX_SYNTHESIS_DERIVATIVERECORD_H

#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// The record of `Decl`, which has `Parameters` and is the derivative of `F`.
BoundFunction derivativeRecord(const BoundFunction &F, kernix_derivative Mode, clang::FunctionDecl *Decl,
                               llvm::ArrayRef<DerivativeParameter> Parameters);

/// The record of an f_bwd as that of a function to differentiate: it reads values and cotangents and adds to gradients.
BoundFunction asPrimal(const BoundFunction &Backward);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVERECORD_H
