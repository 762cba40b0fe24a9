//===- StorageMarks.h - [[kernix::store]] and [[kernix::recompute]] on variables and functions
//---------------------===//
//
// Both speak of values: those that a variable is given, and those that calls of a function return. While a function is
// prepared such a value goes through an opaque call, so that no pass merges it with another; afterwards the instruction
// that computes it carries the mark, where LoopPlan.cpp reads it. Marks on loops, and on functions for the loops in
// them, are Prepare.cpp's.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_STORAGEMARKS_H
#define KERNIX_DERIVATIVE_PREPARE_STORAGEMARKS_H

#include "Derivative/Refusal.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class LoopInfo;
} // namespace llvm

namespace kernix {

/// Takes the annotations of the front half out of the module; functions and variables remember them.
void readStorageMarks(llvm::Module &M);

/// Marks what a call of Callee returns, if that is marked. Before it is inlined.
void markResult(llvm::CallBase &Call, const llvm::Function &Callee);
/// Marks the values that marked variables are given as far as that can be seen by now, before anything puts them in the
/// place of a load, and keeps the variables in memory. F has only been inlined into so far.
void hideStorageVariables(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);
/// Marks the rest, now that all copies are of numbers; the variables are hidden no longer.
void markStoredValues(llvm::Function &F);
/// A loop that is unrolled computes nothing again.
void keepLoopsThatRecompute(llvm::Function &F, llvm::LoopInfo &Loops);
/// From here on the marks are on instructions.
void settleStorageMarks(llvm::Function &F);

/// What the source says of a value, or of a store to a variable that stays in memory.
struct StorageMark {
  llvm::StringRef Store, Recompute; ///< the variable or function that it stands on; empty: it does not say so
};
StorageMark storageMarkOf(const llvm::Instruction &I);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_STORAGEMARKS_H
