//===- ReferenceLayout.h - what a result is declared to hold where a pointer points -----------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_REFERENCELAYOUT_H
#define KERNIX_DERIVATIVE_ANALYSIS_REFERENCELAYOUT_H

#include "Derivative/Analysis/Memory.h"
#include "Derivative/Prepare/LocalLayout.h"

namespace kernix {

/// What Size bytes of a reference parameter's referent, or of the result, are declared to be.
LocalCell cellInReference(const llvm::Value *Pointer, const MemoryObject &Reference, uint64_t Size,
                          MemoryObjects &Objects, const llvm::DataLayout &DL);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_REFERENCELAYOUT_H
