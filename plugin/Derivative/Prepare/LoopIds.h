//===- LoopIds.h - what the source says of loops, while passes change their latches -----------------------------===//
//
// LLVM keeps it in the metadata of the branch back to a loop's header. SimplifyCFG takes such branches apart: that of
// an empty latch goes to the blocks before it, which may be the latches of another loop, or have several loops to go
// back to. In a header nothing of the kind happens. So each header holds a call that stands for its loop until then.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_LOOPIDS_H
#define KERNIX_DERIVATIVE_PREPARE_LOOPIDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/TrackingMDRef.h"

namespace llvm {
class Function;
}

namespace kernix {

/// While there is one, the metadata of loops is out of reach, and no pass may unroll or rotate them.
class HeldLoopIds {
public:
  explicit HeldLoopIds(llvm::Function &F);
  HeldLoopIds(const HeldLoopIds &) = delete;
  HeldLoopIds &operator=(const HeldLoopIds &) = delete;
  /// Of loops that are none any more, nothing is left.
  ~HeldLoopIds();

private:
  llvm::Function &F;
  llvm::SmallVector<llvm::TrackingMDNodeRef, 8> Ids; ///< null: nothing is said of the loop
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_LOOPIDS_H
