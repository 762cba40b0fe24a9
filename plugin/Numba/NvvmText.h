//===- NvvmText.h - device code as text for libNVVM ---------------------------------------------------*- C++ -*-===//
//
// Numba compiles kernels with libNVVM, which can inline what it is given in the same form: the text of LLVM 7's IR, in
// which pointers have types and many instructions of today do not exist.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_NUMBA_NVVMTEXT_H
#define KERNIX_NUMBA_NVVMTEXT_H

#include "llvm/IR/Function.h"
#include <optional>
#include <string>

namespace kernix {

/// Shim with all that it needs, without the lines about target and version. Nothing for what has no such text, and for
/// code with variables of its own that it writes: of those there has to be one, which PTX has.
std::optional<std::string> nvvmText(const llvm::Function &Shim);

} // namespace kernix

#endif // KERNIX_NUMBA_NVVMTEXT_H
