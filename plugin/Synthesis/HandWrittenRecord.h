//===- HandWrittenRecord.h - the records of f_fwd and f_bwd that users write -----------------------------*- C++
//-*-===//
//
// Such a derivative is called as an automatic one is. What differs is what its body says: values and gradients that it
// does not use may be missing, others never are; and a kernel has a launch of its own.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_HANDWRITTENRECORD_H
#define KERNIX_SYNTHESIS_HANDWRITTENRECORD_H

#include "Attributes/AttributeStore.h"
#include "Synthesis/DerivativeSignature.h"

namespace kernix {

class SkippedCode;

/// The record of `Derivative`, which the attributes of `F` name and which has `Parameters`. Nothing after an error.
std::optional<BoundFunction> handWrittenRecord(clang::Sema &S, AttributeStore &Store, const SkippedCode &Skipped,
                                               const BoundFunction &F, kernix_derivative Mode,
                                               clang::FunctionDecl *Derivative,
                                               llvm::ArrayRef<DerivativeParameter> Parameters);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_HANDWRITTENRECORD_H
