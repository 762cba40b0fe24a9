//===- UnrollLoops.cpp - which loops of a derivative LLVM shall unroll --------------------------------------------===//

#include "Derivative/Loops/UnrollLoops.h"
#include "Derivative/Prepare/Prepare.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char Full[] = "llvm.loop.unroll.full";

/// What a loop becomes, counted before any simplification.
struct Cost {
  uint64_t Instructions = 0;
  uint64_t Calls = 0; ///< of libraries, each about a hundred instructions, which are inlined before loops are unrolled

  /// The first is what a loop of LLVM's own limit (300) becomes when it is reversed. Beyond 16384 instructions LLVM
  /// does not unroll what it is asked to, and warns.
  bool isLarge() const { return Instructions > 2000 || Calls > 64; }
};

/// Of L with all its loops unrolled; nothing where that is large or an iteration count is not known.
std::optional<Cost> costUnrolled(const Loop &L, ScalarEvolution &Evolution) {
  uint64_t Trips = Evolution.getSmallConstantTripCount(&L);
  Cost Result;
  for (BasicBlock *Block : L.blocks())
    if (none_of(L, [&](const Loop *Inner) { return Inner->contains(Block); })) {
      Result.Instructions += Block->size();
      Result.Calls += static_cast<uint64_t>(
          count_if(*Block, [](const Instruction &I) { return isa<CallInst>(I) && !isa<IntrinsicInst>(I); }));
    }
  for (const Loop *Inner : L) {
    std::optional<Cost> Part = costUnrolled(*Inner, Evolution);
    if (!Part)
      return std::nullopt;
    Result.Instructions += Part->Instructions;
    Result.Calls += Part->Calls;
  }
  Result.Instructions *= Trips;
  Result.Calls *= Trips;
  return Trips && !Result.isLarge() ? std::optional(Result) : std::nullopt;
}

} // namespace

void kernix::unrollAsAsked(Function &F, FunctionAnalysisManager &FAM) {
  auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    MDNode *Id = L->getLoopID();
    if (!isMarked(Id, UnrollAnnotation))
      continue;
    if (hasUnrollTransformation(L) == TM_Unspecified && costUnrolled(*L, Evolution))
      addStringMetadataToLoop(L, Full);
  }
}

void kernix::forgetUnrolling(Function &F, FunctionAnalysisManager &FAM) {
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (MDNode *Id = L->getLoopID())
      L->setLoopID(makePostTransformationMetadata(F.getContext(), Id, {Full}, {}));
}

void kernix::unrollLoops(Function &F, ArrayRef<BasicBlock *> Blocks, FunctionAnalysisManager &FAM) {
  SmallPtrSet<const BasicBlock *, 16> Here(llvm::from_range, Blocks);
  auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (Here.contains(L->getHeader()) && hasUnrollTransformation(L) == TM_Unspecified && costUnrolled(*L, Evolution))
      addStringMetadataToLoop(L, Full);
}
