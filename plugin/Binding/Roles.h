//===- Roles.h - what a parameter means ---------------------------------------------------------------*- C++ -*-===//
//
// Decides from a parameter's type (and its intent, where the type leaves a choice) its role and how its value is
// passed. Shapes, values and other strings are not looked at here: they need all parameters.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_ROLES_H
#define KERNIX_BINDING_ROLES_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Fills in everything of `P` that its type determines. False after an error.
bool assignRole(clang::Sema &S, const clang::FunctionDecl *F, kernix_function_kind Kind,
                const DeclAttributes *Attributes, Parameter &P);

/// The same for a function's result. False after an error.
bool assignResult(clang::Sema &S, const clang::FunctionDecl *F, Parameter &Result);

} // namespace kernix

#endif // KERNIX_BINDING_ROLES_H
