//===- ThreadLoop.cpp - finding the loop over threadIdx.x in optimised code --------------------------------------===//

#include "CpuTarget/ThreadLoop.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace kernix {

static bool isMarked(const Loop &L) {
  const MDNode *Id = L.getLoopID();
  if (!Id)
    return false;
  return any_of(drop_begin(Id->operands()), [](const MDOperand &Operand) {
    const auto *Node = dyn_cast<MDNode>(Operand);
    const auto *Text = Node && Node->getNumOperands() == 1 ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
    return Text && Text->getString() == ThreadLoopMarker;
  });
}

SmallVector<Loop *> innermostThreadLoops(LoopInfo &LI) {
  SmallVector<Loop *> Result;
  for (Loop *L : LI.getLoopsInPreorder())
    // The mark may have come to another loop when blocks were merged; one that runs the threads counts them one by one.
    if (L->isInnermost() && isMarked(*L) && L->getCanonicalInductionVariable())
      Result.push_back(L);
  return Result;
}

} // namespace kernix
