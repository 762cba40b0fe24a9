//===- BindFunctions.h - from annotated declarations to records ---------------------------------------*- C++ -*-===//
//
// Runs once, at the end of a translation unit without errors. The result is the same in every pass over a file.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BINDFUNCTIONS_H
#define KERNIX_BINDING_BINDFUNCTIONS_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

class SkippedCode;

/// Builds and checks the record of every function that is bound here. Errors are reported; functions with an error are
/// not in the result.
void bindFunctions(clang::Sema &S, AttributeStore &Store, const SkippedCode &Skipped, Bindings &Result);

/// The record of one function as far as it is known before the end of the file; nothing after an error.
std::optional<BoundFunction> bindFunctionEarly(clang::Sema &S, AttributeStore &Store, const SkippedCode &Skipped,
                                               const clang::FunctionDecl *F);

/// `__host__ __device__` is a host function, unless it needs an object or is bound for callers in device code.
kernix_function_kind functionKind(const clang::FunctionDecl *F);

/// Sets the qualified name, mangled name and signature of a record from its declaration and parameters.
void nameFunction(BoundFunction &Record, llvm::StringRef ShownName = {});

} // namespace kernix

#endif // KERNIX_BINDING_BINDFUNCTIONS_H
