//===- PointerDifferences.h - ways from one variable to another -------------------------------------------------===//
//
// What is reached by the difference of pointers to two variables is for LLVM a part of neither. It may take away what
// is stored there, and what is read there has no derivative.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_POINTERDIFFERENCES_H
#define KERNIX_DERIVATIVE_PREPARE_POINTERDIFFERENCES_H

#include "Derivative/Refusal.h"

namespace kernix {

/// As soon as pointers are in registers, before anything is taken away.
void refusePointerDifferences(llvm::Function &F, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_POINTERDIFFERENCES_H
