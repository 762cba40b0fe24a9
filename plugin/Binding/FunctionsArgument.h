//===- FunctionsArgument.h - -fplugin-arg-kernix-functions=... ----------------------------------------*- C++ -*-===//
//
// What `functions=` of a loader says, one function a line: `name`, whose arg_spec is inferred, or `name = tokens`.
// Comments `// @BE` are not read beside it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_FUNCTIONSARGUMENT_H
#define KERNIX_BINDING_FUNCTIONSARGUMENT_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class Sema;
} // namespace clang

namespace kernix {

class AttributeStore;

/// Binds them, at the end of the file. With `Elsewhere` one that is not declared here may be in another file of the
/// module. False after an error.
bool bindFunctionsArgument(clang::Sema &S, AttributeStore &Store, llvm::StringRef Text, bool Elsewhere);

} // namespace kernix

#endif // KERNIX_BINDING_FUNCTIONSARGUMENT_H
