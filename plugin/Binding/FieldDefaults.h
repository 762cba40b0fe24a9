//===- FieldDefaults.h - default member initializers of structs ---------------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_FIELDDEFAULTS_H
#define KERNIX_BINDING_FIELDDEFAULTS_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Gives the leaves of a struct (structFields) the constants that `Type{}` would have there by its default member
/// initializers and its default constructor. Where these are no constants the leaf is marked so: callers give a value.
void readFieldDefaults(clang::Sema &S, clang::QualType Type, std::vector<Field> &Leaves);

} // namespace kernix

#endif // KERNIX_BINDING_FIELDDEFAULTS_H
