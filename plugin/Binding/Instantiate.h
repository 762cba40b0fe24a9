//===- Instantiate.h - [[kernix::instantiate("float", ...)]] ------------------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_INSTANTIATE_H
#define KERNIX_BINDING_INSTANTIATE_H

#include "Attributes/Instantiate.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// Instantiates the template explicitly for each string and hands the definitions to CodeGen. A type is named as
/// arg_spec does ("float32"), as a built-in type, or by a name visible where the template stands; other arguments are
/// integers. Reports what cannot be found or instantiated.
void instantiate(clang::Sema &S, clang::FunctionTemplateDecl *Template, const InstantiateAttribute &A);

} // namespace kernix

#endif // KERNIX_BINDING_INSTANTIATE_H
