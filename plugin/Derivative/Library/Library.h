//===- Library.h - functions that derivatives need and no target has --------------------------------------------===//
//
// Bitcode inside kernix.so: digamma, polygamma and functions of complex numbers for every target, and for the CPU what
// libdevice has beyond the C library. `kernix.digamma.f64` is there as `kernix_library_digamma_f64`.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LIBRARY_LIBRARY_H
#define KERNIX_DERIVATIVE_LIBRARY_LIBRARY_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

/// Gives every `kernix_library_*` function that M declares and uses its body, as an internal function; New are all
/// functions that came in. Their calls of canonical functions are still to be lowered. False, after a diagnostic, if a
/// function is missing.
bool linkLibrary(llvm::Module &M, llvm::SmallVectorImpl<llvm::Function *> &New);

/// Defines, in a module for a CPU that computes in bfloat16, the functions by which the code generator rounds to it.
/// They are weak and hidden. False, after a diagnostic, if that cannot be.
bool linkBfloat16(llvm::Module &M);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LIBRARY_LIBRARY_H
