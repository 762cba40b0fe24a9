//===- Constants.h - what [[kernix::no_diff]] makes constant ------------------------------------------------------===//
//
// A value that is constant for differentiation is the result of `kernix.constant`, which gives back its operand and has
// no derivative. Loads of a variable that is marked, and everything that comes into a function that is marked, go
// through it. It stays until all derivatives are written, so that those of derivatives see it too.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_CONSTANTS_H
#define KERNIX_DERIVATIVE_ANALYSIS_CONSTANTS_H

#include "Derivative/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class AllocaInst;
}

namespace kernix {

/// Of metadata on variables, and on copies of memory, that are constant.
inline constexpr char ConstantMark[] = "kernix.no_diff";

/// Whether values of this type may be the bits of numbers: integers that are wide enough.
bool mayBeBits(const llvm::Type &T);
/// V as a constant: numbers, vectors and structs of them, and bits of them; anything else is given back as it is.
llvm::Value *makeConstant(llvm::IRBuilder<> &B, llvm::Value *V);
/// Puts that in the place of V, which B stands behind; in that of integers where they may leave the function or become
/// numbers: nothing else has a derivative, and what finds out about indices and bounds looks through no constant.
void replaceByConstant(llvm::IRBuilder<> &B, llvm::Value &V);
/// What a call of a function without a body returns becomes constant.
void constantResult(llvm::CallBase &Call);
/// The same for all such calls in statements that are marked, in functions that are not prepared yet: LLVM may simplify
/// them where they are inlined. Copies of memory, which return nothing, are marked themselves.
void markConstantCalls(llvm::Module &M, llvm::ArrayRef<DerivativeRequest> Requests);
/// Whether the source says that a variable outside functions is a constant.
bool isMarkedConstant(const llvm::GlobalVariable &Variable);
/// Whether F is kernix.constant.
bool isConstantMark(const llvm::Function &F);
/// Replaces kernix.constant by its operand, everywhere.
void lowerConstants(llvm::Module &M);

/// Reads the marks of the source: functions are returned, variables are marked in the module. The annotations are gone.
llvm::SmallPtrSet<const llvm::Function *, 4> readConstantMarks(llvm::Module &M);

// ConstantVariables.cpp: marked variables and parameters. Pointers that lie in them lead to constants: what is read or
// written through them is constant, while it may have derivatives where it is reached otherwise.

/// Before Callee is inlined: the marked parameters whose address is an argument.
void hideConstantArguments(llvm::CallBase &Call, const llvm::Function &Callee);
/// Afterwards: marks the copies that were made of them in F.
void markConstantCopies(llvm::Function &F);
/// Keeps marked variables in memory until they are shown again, and makes what is loaded from them, and through
/// pointers in them, constant as far as it can be seen by now: before anything puts what was stored in the place of a
/// load. F has only been inlined into so far.
void hideConstantVariables(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);
/// Shows them again.
llvm::SmallVector<llvm::AllocaInst *, 4> showConstantVariables(llvm::Function &F, Refusals &Refused);
/// Makes the loads of these variables constants, now that all copies are of numbers.
void constantVariables(llvm::ArrayRef<llvm::AllocaInst *> Variables, Refusals &Refused);

/// A private copy of F, everything in it inlined, of which all that comes out is constant. Null after an error.
llvm::Function *constantCopy(const llvm::CallBase &Call, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                             Refusals &Refused);
/// Call would have to make constant what it copies, or a function that it calls copies.
void refuseConstantCopy(const llvm::CallBase &Call, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_CONSTANTS_H
