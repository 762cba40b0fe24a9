//===- DerivativeDecls.h - asking the LLVM half for derivatives --------------------------------------*- C++ -*--===//
//
// Declares, for each differentiable function, what the LLVM half shall fill in, in the pass that holds the primal's
// body.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEDECLS_H
#define KERNIX_SYNTHESIS_DERIVATIVEDECLS_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// `PassesDisabled`: LLVM's pipeline will not run, so that nothing could fill the bodies; an error where one is asked
/// for.
void requestDerivatives(clang::Sema &S, const Bindings &B, bool PassesDisabled);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEDECLS_H
