//===- Libdevice.h - linking CUDA's math library on demand ------------------------------------------------------===//
//
// Clang links libdevice before any pass runs, and only what the source uses: a kernel with sin brings __nv_sinf and
// not the __nv_cosf that its derivative needs.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_LIBDEVICE_H
#define KERNIX_DERIVATIVE_CANONICAL_LIBDEVICE_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

/// Gives every `__nv_*` function that M declares and uses its body from the bitcode file, as an internal function.
/// Does nothing where none is missing. False, after a diagnostic, if that is impossible.
bool linkLibdevice(llvm::Module &M, llvm::StringRef Path);

/// 900 of a function that is compiled for sm_90a; 0 if it is for no GPU.
unsigned architectureOf(const llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_LIBDEVICE_H
