//===- Operations.h - functions of one public name ----------------------------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_OPERATIONS_H
#define KERNIX_BINDING_OPERATIONS_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Fills in `B.Operations` from `B.Functions`. Functions of one name must be variants that a caller's arguments can
/// tell apart; anything else is an error.
void groupOperations(clang::Sema &S, Bindings &B);

} // namespace kernix

#endif // KERNIX_BINDING_OPERATIONS_H
