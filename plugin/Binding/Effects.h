//===- Effects.h - what others can see of code --------------------------------------------------------*- C++ -*-===//
//
// Whether other threads or the caller can see that code of a kernel has run: writes to anything but what the thread has
// to itself, atomics, barriers, and what threads tell one another. Pointers and references are followed through local
// variables, parameters, objects of member functions and what functions return; one that comes from anywhere else, or
// out of an object, is taken to lead away from the thread's own variables.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_EFFECTS_H
#define KERNIX_BINDING_EFFECTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace kernix {

class SkippedCode;

/// Whether some of these statements and expressions of the kernel has an effect. They have to be all that a thread may
/// run of it.
bool haveEffect(llvm::ArrayRef<const clang::Stmt *> Code, const clang::FunctionDecl *Kernel,
                const SkippedCode &Skipped);
/// Whether what is called so in CUDA has one; for code that is not seen.
bool tellsOthers(llvm::StringRef Name);

} // namespace kernix

#endif // KERNIX_BINDING_EFFECTS_H
