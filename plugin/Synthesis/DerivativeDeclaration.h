//===- DerivativeDeclaration.h - the declaration of f_fwd or f_bwd -------------------------------------*- C++ -*-===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEDECLARATION_H
#define KERNIX_SYNTHESIS_DERIVATIVEDECLARATION_H

#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// Declares the derivative of F beside F, to be defined later. `Earlier`: what was declared when code named it, or
/// null. Null after an error.
clang::FunctionDecl *declareDerivative(clang::Sema &S, const BoundFunction &F, kernix_derivative Mode,
                                       llvm::ArrayRef<DerivativeParameter> Parameters, clang::FunctionDecl *Earlier);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEDECLARATION_H
