//===- Defaults.h - constant default arguments --------------------------------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_DEFAULTS_H
#define KERNIX_BINDING_DEFAULTS_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Records the default argument of `P` in `F`: a constant of its type, or, for a tensor, a null pointer or `{}`, which
/// makes it optional. A default that is no constant warns (callers then have to give a value).
void readDefault(clang::Sema &S, const clang::FunctionDecl *F, Parameter &P);

} // namespace kernix

#endif // KERNIX_BINDING_DEFAULTS_H
