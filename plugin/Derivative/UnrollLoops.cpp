//===- UnrollLoops.cpp - which loops of a derivative LLVM shall unroll --------------------------------------------===//

#include "Derivative/UnrollLoops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace kernix;

/// Instructions after unrolling, as they are counted before any simplification: what a loop of LLVM's own limit (300)
/// becomes when it is reversed.
static constexpr uint64_t MostInstructions = 2000;

/// Instructions of L with all its loops unrolled; more than the limit where an iteration count is not known.
static uint64_t sizeUnrolled(const Loop &L, ScalarEvolution &Evolution) {
  uint64_t Trips = Evolution.getSmallConstantTripCount(&L), Size = 0;
  if (!Trips)
    return MostInstructions + 1;
  for (BasicBlock *Block : L.blocks())
    if (none_of(L, [&](const Loop *Inner) { return Inner->contains(Block); }))
      Size += Block->size();
  for (const Loop *Inner : L)
    Size += sizeUnrolled(*Inner, Evolution);
  return std::min(Size * Trips, MostInstructions + 1);
}

void kernix::unrollLoops(Function &F, ArrayRef<BasicBlock *> Blocks, FunctionAnalysisManager &FAM) {
  SmallPtrSet<const BasicBlock *, 16> Here(llvm::from_range, Blocks);
  auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (Here.contains(L->getHeader()) && hasUnrollTransformation(L) == TM_Unspecified &&
        sizeUnrolled(*L, Evolution) <= MostInstructions)
      addStringMetadataToLoop(L, "llvm.loop.unroll.full");
}
