//===- LoopRemarks.cpp - how each loop is reversed, in words ----------------------------------------------------===//

#include "Derivative/Loops/LoopRemarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <map>

using namespace llvm;
using namespace kernix;

namespace {

std::string counted(size_t Count, StringRef What) {
  return std::to_string(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

/// What an iteration starts from.
struct Kept {
  size_t Computed = 0, Values = 0, Arrays = 0;
  uint64_t Bytes = 0; ///< of Values and Arrays
};

Kept keptBy(const LoopPlan &Plan, const DataLayout &DL) {
  Kept Result;
  for (const auto &[Phi, How] : Plan.Carried) {
    Result.Computed += How.Kind == CarriedValue::Affine;
    if (How.Kind != CarriedValue::Stored)
      continue;
    ++Result.Values;
    Result.Bytes += DL.getTypeStoreSize(Phi->getType());
  }
  for (const Instruction *I : Plan.Kept) {
    ++Result.Values;
    Result.Bytes += DL.getTypeStoreSize(I->getType());
  }
  for (const CarriedMemory &M : Plan.MemoryOfIterations) {
    ++Result.Arrays;
    Result.Bytes += M.Size;
  }
  return Result;
}

std::string textOf(const LoopPlan &Plan, const DataLayout &DL) {
  std::string Text;
  if (Plan.Order == LoopPlan::Forwards) {
    Text = "this loop runs once more in the order of the source";
  } else {
    Kept K = keptBy(Plan, DL);
    Text = "this loop runs backwards, each iteration computed again";
    if (K.Computed)
      Text += "; " + counted(K.Computed, "value") + " of its start computed from the iteration's number";
    if (!K.Bytes) {
      Text += "; nothing is stored";
    } else {
      Text += "; stored: " + std::string(K.Values ? counted(K.Values, "value") : "") +
              (K.Values && K.Arrays ? " and " : "") + (K.Arrays ? counted(K.Arrays, "local variable") : "") + " of " +
              std::to_string(K.Bytes) + " bytes, ";
      Text += Plan.Bound ? "for each of at most " + std::to_string(Plan.Bound) + " iterations"
                         : "as checkpoints on " + std::to_string(CheckpointLevels) + " levels of " +
                               std::to_string(CheckpointsOfLevel) +
                               ", for one more run beyond 64 iterations and three beyond 4096";
      Text += ": " + std::to_string(K.Bytes * Plan.slots()) + " bytes a thread";
    }
  }
  if (!Plan.MemoryAtEntry.empty()) {
    uint64_t Bytes = 0;
    for (const CarriedMemory &M : Plan.MemoryAtEntry)
      Bytes += M.Size;
    Text += "; " + counted(Plan.MemoryAtEntry.size(), "local variable") +
            " stored where it is entered: " + std::to_string(Bytes) + " bytes a thread";
  }
  return Text;
}

} // namespace

void kernix::remarkOnLoops(const Prepared &P, const LoopPlans &Plans, FunctionAnalysisManager &FAM, Refusals &Refused) {
  if (!Refused.wantsRemarks())
    return;
  // One loop of the source may have become several.
  using Remark = std::pair<const DILocation *, std::string>;
  MapVector<Remark, SmallVector<const Loop *, 1>, std::map<Remark, unsigned>> Copies;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(*P.F).getLoopsInPreorder())
    if (const LoopPlan &Plan = Plans.of(L); Plan.Order != LoopPlan::Nothing)
      Copies[{L->getHeader()->getTerminator()->getDebugLoc().get(), textOf(Plan, P.F->getDataLayout())}].push_back(L);
  for (const auto &[Key, Loops] : Copies) {
    std::string Text = Key.second;
    if (Key.first && Loops.size() > 1)
      Text += "; this for each of " + std::to_string(Loops.size()) + " copies, since a loop around it is unrolled";
    for (const Loop *L : ArrayRef(Loops).take_front(Key.first ? 1 : Loops.size()))
      Refused.remark(L->getHeader()->getTerminator(), Text);
  }
}
