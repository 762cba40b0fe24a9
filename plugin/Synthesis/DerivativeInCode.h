//===- DerivativeInCode.h - what bwd_diff and fwd_diff call --------------------------------------------*- C++ -*-===//
//
// kernix/derivative.h only declares the functions behind kernix::bwd_diff<f> and kernix::fwd_diff<f>; their bodies are
// made here, for those that the file uses.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEINCODE_H
#define KERNIX_SYNTHESIS_DERIVATIVEINCODE_H

#include "Synthesis/CustomDerivatives.h"

namespace kernix {

/// Whether the file asks for a derivative that way.
bool usesDerivativesInCode(clang::Sema &S);

/// False after an error.
bool defineDerivativesInCode(clang::Sema &S, AttributeStore &Store, const CustomDerivatives &Custom,
                             bool PassesDisabled);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEINCODE_H
