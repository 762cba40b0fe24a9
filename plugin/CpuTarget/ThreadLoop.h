//===- ThreadLoop.h - finding the loop over threadIdx.x in optimised code ----------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_THREADLOOP_H
#define KERNIX_PLUGIN_CPUTARGET_THREADLOOP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LoopInfo.h"

namespace kernix {

/// Marks the latch of the loop over threadIdx.x; the name of its metadata.
inline constexpr llvm::StringLiteral ThreadLoopMarker = "kernix.thread.loop";

/// The marked loops without loops inside: what the vectoriser looks at.
llvm::SmallVector<llvm::Loop *> innermostThreadLoops(llvm::LoopInfo &LI);

} // namespace kernix

#endif
