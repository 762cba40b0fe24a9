//===- CopiedBytes.h - floating-point memory that is moved as bytes or integers ---------------------------------===//
//
// Clang copies structs by memcpy, and LLVM moves small ones as integers. Activity belongs to bytes, so these copies
// become copies of the floating-point numbers that lie there.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_COPIEDBYTES_H
#define KERNIX_DERIVATIVE_PREPARE_COPIEDBYTES_H

#include "Derivative/Analysis/Memory.h"

namespace kernix {

/// Replaces memcpy, memmove and memset of memory whose bytes are all of one floating-point type by loads and stores of
/// its elements, in a loop where there are many.
void expandCopies(llvm::Function &F, MemoryObjects &Objects);

/// Replaces integer loads and stores that only move floating-point numbers by those of the numbers.
void retypeCopies(llvm::Function &F, MemoryObjects &Objects);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_COPIEDBYTES_H
