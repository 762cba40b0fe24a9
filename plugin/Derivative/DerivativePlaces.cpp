//===- DerivativePlaces.cpp - which line of the source an instruction of a derivative is of ---------------------===//

#include "Derivative/DerivativePlaces.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

void DerivativePlaces::describe() {
  if (!Described)
    return;
  Body.setSubprogram(Described);
  InlinedAt = DILocation::getDistinct(Body.getContext(), Described->getLine(), 0, Described);
  Rest = DILocation::get(Body.getContext(), Described->getLine(), 0, Described);
}

DebugLoc DerivativePlaces::here(const DebugLoc &Place) {
  if (!InlinedAt || !Place)
    return Rest;
  return DebugLoc(DILocation::get(Body.getContext(), Place.getLine(), Place.getCol(), Place.getScope(),
                                  DebugLoc::appendInlinedAt(Place, InlinedAt, Body.getContext(), Cache),
                                  Place->isImplicitCode()));
}

void DerivativePlaces::move(Instruction &Copy) {
  Copy.setDebugLoc(here(Copy.getDebugLoc()));
  updateLoopMetadataDebugLocations(Copy, [&](Metadata *Part) -> Metadata * {
    auto *Place = dyn_cast<DILocation>(Part);
    return Place ? here(Place).get() : Part;
  });
}

void DerivativePlaces::finish() {
  if (!Described)
    return;
  for (Instruction &I : instructions(Body))
    if (!I.getDebugLoc() && !isa<PHINode, AllocaInst>(I))
      I.setDebugLoc(Rest);
}
