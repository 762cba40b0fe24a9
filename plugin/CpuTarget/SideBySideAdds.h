//===- SideBySideAdds.h - additions of many threads at once -----------------------------------------------------===//
//
// x[i - 1], x[i], x[i + 1]: what thread i adds to, its neighbours add to as well, but not by the same of its three
// additions. One addition of many threads after the other, as a vectorised loop does them, is a correct order of
// additions that only one host thread makes, as long as no addition brings two of its threads to one address, and as
// long as the vectoriser leaves the order of the additions alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_SIDEBYSIDEADDS_H
#define KERNIX_PLUGIN_CPUTARGET_SIDEBYSIDEADDS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

namespace kernix {

/// True if the threads that L runs may make these additions, one after the other, side by side.
bool mayAddSideBySide(llvm::ArrayRef<llvm::AtomicRMWInst *> Additions, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                      llvm::AAResults &AA);

} // namespace kernix

#endif
