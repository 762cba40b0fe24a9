//===- Constants.h - what [[kernix::no_diff]] makes constant ------------------------------------------------------===//
//
// A value that is constant for differentiation is the result of `kernix.constant`, which gives back its operand and has
// no derivative. Loads of a variable that is marked, and everything that comes into a function that is marked, go
// through it. It stays until all derivatives are written, so that those of derivatives see it too.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CONSTANTS_H
#define KERNIX_DERIVATIVE_CONSTANTS_H

#include "Derivative/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class AllocaInst;
}

namespace kernix {

/// V as a constant: numbers, vectors and structs of them; anything else is given back as it is.
llvm::Value *makeConstant(llvm::IRBuilder<> &B, llvm::Value *V);
/// What a call of a function without a body returns becomes constant.
void constantResult(llvm::CallBase &Call);
/// Whether the source says that a variable outside functions is a constant.
bool isMarkedConstant(const llvm::GlobalVariable &Variable);
/// Whether F is kernix.constant.
bool isConstantMark(const llvm::Function &F);
/// Replaces kernix.constant by its operand.
void lowerConstants(llvm::Function &Body);

/// Reads the marks of the source: functions are returned, variables are marked in the module. The annotations are gone.
llvm::SmallPtrSet<const llvm::Function *, 4> readConstantMarks(llvm::Module &M);

/// Keeps marked variables in memory until they are shown again, and makes the loads of them constants that can be seen
/// by now: before anything puts what was stored in the place of a load. F has only been inlined into so far.
void hideConstantVariables(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);
/// Shows them again.
llvm::SmallVector<llvm::AllocaInst *, 4> showConstantVariables(llvm::Function &F);
/// Makes the loads of these variables constants.
void constantVariables(llvm::ArrayRef<llvm::AllocaInst *> Variables, Refusals &Refused);

/// A private copy of F, everything in it inlined, of which all that comes out is constant. Null after an error.
llvm::Function *constantCopy(const llvm::CallBase &Call, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                             Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CONSTANTS_H
