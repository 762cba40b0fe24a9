//===- ThreadSteps.h - how an address changes from thread to thread ---------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_THREADSTEPS_H
#define KERNIX_PLUGIN_CPUTARGET_THREADSTEPS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace kernix {

struct ThreadSteps {
  int64_t Step;     ///< from thread to thread, as long as no index wraps
  uint64_t Between; ///< the values for two threads are at least so far apart, whether it wraps or not
};

/// Of S in the loop L over threads; nothing if it may be the same for two of them.
std::optional<ThreadSteps> threadSteps(const llvm::SCEV *S, const llvm::Loop &L, llvm::ScalarEvolution &SE);

} // namespace kernix

#endif
