//===- Reflection.h - kernix_info_<name> -------------------------------------------------------------*- C++ -*--===//
//
// The slot of an operation, which its entry points share, and `const kernix_operation *kernix_info_<name>(void)`.
// (kernix_module_info is written in kernix/module.h.) Host pass only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_REFLECTION_H
#define KERNIX_SYNTHESIS_REFLECTION_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// The slot, or null after an error.
clang::VarDecl *synthesizeReflection(AstBuilder &Builder, const Operation &O);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_REFLECTION_H
