//===- DerivativeDecls.h - f_fwd and f_bwd ------------------------------------------------------------*- C++ -*--===//
//
// Declares the derivatives of each differentiable function, gives them a body that calls what the LLVM half fills in,
// and adds their records: they are bound functions like any other.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEDECLS_H
#define KERNIX_SYNTHESIS_DERIVATIVEDECLS_H

#include "Synthesis/CustomDerivatives.h"
#include "Synthesis/DerivativeNames.h"

namespace kernix {

/// `PassesDisabled`: LLVM's pipeline will not run, so that nothing could fill the bodies; an error where one is asked
/// for. The operations of `Bindings` are grouped again.
void synthesizeDerivatives(clang::Sema &S, AttributeStore &Store, CustomDerivatives &Custom,
                           const DerivativeNames &Names, Bindings &Bindings, bool PassesDisabled);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEDECLS_H
