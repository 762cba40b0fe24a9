//===- ExplicitArgSpec.h - an arg_spec that was written, against the signature ------------------------*- C++ -*-===//
//
// Roles come from types; an arg_spec that somebody wrote comes before them. Each token speaks of the parameter at its
// place. What could only be a mistake is an error, what C++ would accept is a warning (-Wkernix-arg-spec).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_EXPLICITARGSPEC_H
#define KERNIX_BINDING_EXPLICITARGSPEC_H

#include "Attributes/Arguments.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Changes the parameters of `F`, whose roles are assigned, to what `Spec` says of them. False after an error.
bool applyArgSpec(clang::Sema &S, const StringArgument &Spec, BoundFunction &F);

} // namespace kernix

#endif // KERNIX_BINDING_EXPLICITARGSPEC_H
