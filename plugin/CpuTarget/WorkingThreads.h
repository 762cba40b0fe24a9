//===- WorkingThreads.h - loops over the threads that have work --------------------------------------------------===//
//
// Most kernels begin with `if (i >= n) return;`. As the body of a vectorised loop that makes every load and store a
// masked one. When such conditions are monotonous in threadIdx.x, the threads that pass are one range, and the loop can
// run over that range without asking. Nor need it ask whether an index of 32 bits wraps: that is found out once for
// all.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_WORKINGTHREADS_H
#define KERNIX_PLUGIN_CPUTARGET_WORKINGTHREADS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace kernix {

/// Makes a loop over the working threads beside the thread loop L, if it has such conditions or indices; L remains for
/// blocks where an index wraps. True if it did.
bool loopOverWorkingThreads(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

} // namespace kernix

#endif
