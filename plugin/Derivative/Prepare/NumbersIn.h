//===- NumbersIn.h - the numbers of which a value is made ---------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_NUMBERSIN_H
#define KERNIX_DERIVATIVE_PREPARE_NUMBERSIN_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace kernix {

/// V with another value in the place of each number in it: of itself, of a vector's, array's or struct's elements. Make
/// gives the number back that it wants to leave.
llvm::Value *replaceNumbers(llvm::IRBuilder<> &B, llvm::Value *V,
                            llvm::function_ref<llvm::Value *(llvm::Value *)> Make);

/// Puts that in the place of V, which B stands behind.
void replaceNumbersOfUses(llvm::IRBuilder<> &B, llvm::Value &V, llvm::function_ref<llvm::Value *(llvm::Value *)> Make);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_NUMBERSIN_H
