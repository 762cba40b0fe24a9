//===- AtomicSums.h - atomics of all threads on one address ------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_ATOMICSUMS_H
#define KERNIX_PLUGIN_CPUTARGET_ATOMICSUMS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace kernix {

/// Lets a loop over threads add up what its threads give to one address by atomics whose results nobody asks for, and
/// give the sum behind the loop. Returns true if anything has changed.
bool sumAtomics(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT, llvm::AAResults &AA);

} // namespace kernix

#endif
