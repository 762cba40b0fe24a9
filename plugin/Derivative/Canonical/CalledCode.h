//===- CalledCode.h - what a function does, with the functions that it calls ------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_CALLEDCODE_H
#define KERNIX_DERIVATIVE_CANONICAL_CALLEDCODE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace kernix {

/// Whether some instruction of F, or of what it calls that has a body, is one.
bool anyInCalledCode(const llvm::Function &F, llvm::function_ref<bool(const llvm::Instruction &)> Is);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_CALLEDCODE_H
