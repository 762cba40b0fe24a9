//===- DerivativeRoles.h - which parameters have a gradient --------------------------------------------*- C++ -*-===//
//
// Decides for a differentiable function what it does with each parameter (in, out, in-out) and which parameters have a
// shadow, and checks the attributes that say so. Needs the roles and uses of the parameters.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_DERIVATIVEROLES_H
#define KERNIX_BINDING_DERIVATIVEROLES_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// False after an error.
bool assignDerivativeRoles(clang::Sema &S, AttributeStore &Store, BoundFunction &F);

} // namespace kernix

#endif // KERNIX_BINDING_DERIVATIVEROLES_H
