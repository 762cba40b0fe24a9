//===- StoredNumbers.h - numbers stored through pointers that may lead to a constant variable --------------------===//
//
// What is read where a variable is [[kernix::no_diff]] is constant, though it be what has just been stored there. While
// a pointer may still lead to such a variable or elsewhere, LLVM would put what is stored through it in the place of
// what is read. So it is the result of `kernix.stored`, which has the pointer, too, until it is known where that leads.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_STOREDNUMBERS_H
#define KERNIX_DERIVATIVE_PREPARE_STOREDNUMBERS_H

#include "Derivative/Refusal.h"
#include "llvm/IR/InstrTypes.h"

namespace kernix {

/// Its pointer is that of a store.
bool isStoredNumber(const llvm::Instruction &I);
inline constexpr unsigned PlaceOfStoredNumber = 1;

/// Whether the address of a constant variable, or a pointer that leads to constants, is kept somewhere.
bool keepsConstantPointers(llvm::Function &F);
/// Before anything that puts what is stored in the place of what is read.
void guardStoredNumbers(llvm::Function &F);
/// Those whose place is known: constant, or as they are.
void settleStoredNumbers(llvm::Function &F);
/// All of them. What was put in the place of a read, and may be constant or not, is an error.
void settleStoredNumbers(llvm::Function &F, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_STOREDNUMBERS_H
