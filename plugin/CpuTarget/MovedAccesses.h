//===- MovedAccesses.h - what the vectoriser would move across others ------------------------------------------===//
//
// LLVM 22's loop vectoriser joins accesses to x[2 * i] and x[2 * i + 1]: loads where the first one was, stores where
// the last one was. Which accesses of the same iteration must not be passed on the way it reads from the loop's
// dependences, of which it has none if the loop is marked as parallel. So loops in which a thread might see it are not
// marked: the vectoriser then finds the dependences, or gives up.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_MOVEDACCESSES_H
#define KERNIX_PLUGIN_CPUTARGET_MOVEDACCESSES_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace kernix {

/// True if one of the loads and stores of L, in the order in which a thread makes them, may be moved across another
/// that the same thread makes to the same memory.
bool wouldMoveAccesses(llvm::ArrayRef<llvm::Instruction *> Accesses, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                       llvm::AAResults &AA);

} // namespace kernix

#endif
