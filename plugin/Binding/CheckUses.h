//===- CheckUses.h - parameters against what the body does --------------------------------------------*- C++ -*-===//
//
// Compares what each parameter is declared to be with what the visible code does with it: writes to inputs are errors,
// outputs that are only read and updates that no caller sees are warnings. Decides which outputs must start as zeros.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_CHECKUSES_H
#define KERNIX_BINDING_CHECKUSES_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

class SkippedCode;

/// `Attributes[i]` are those of parameter i; null where there are none. False after an error.
bool checkUses(clang::Sema &S, BoundFunction &F, llvm::ArrayRef<const DeclAttributes *> Attributes,
               const SkippedCode &Skipped);

} // namespace kernix

#endif // KERNIX_BINDING_CHECKUSES_H
