//===- VectorizerGuard.cpp - keeps the vectorizer from loops that would take it forever -------------------------===//
//
// LLVM 22's loop vectorizer asks of each value whether one scalar computes it, by walking through its operands without
// remembering what it has seen (vputils::isSingleScalar). Where a chain of values that all iterations share uses values
// twice (t = t * t + t), that takes time exponential in its length. Such loops, which are threads doing the same under
// a condition, are left scalar.
//
// So are loops over threads that mostly read and write structures of more elements than the vectorizer joins: it would
// gather and scatter them one by one, and takes that to be cheaper than it is. Left alone, the elements of one thread
// are put together to vectors later.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Passes.h"
#include "CpuTarget/ThreadLoop.h"
#include "CpuTarget/ThreadSteps.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Some milliseconds.
constexpr uint64_t MostSteps = 1 << 18;

struct Walk {
  uint64_t Steps = 1;
  bool IsShared = false; ///< by all iterations, as far as the vectorizer may find
};

/// About how many steps the walks through all values of L take.
uint64_t stepsOfWalks(Loop &L, LoopInfo &Loops) {
  DenseMap<const Value *, Walk> Walks;
  uint64_t Total = 0;
  LoopBlocksRPO Order(&L);
  Order.perform(&Loops);
  for (BasicBlock *Block : Order)
    for (Instruction &I : *Block) {
      Walk &W = Walks[&I];
      // An iteration's own number, and memory that may change.
      if (Block == L.getHeader() && isa<PHINode>(I))
        continue;
      W.IsShared = !isa<CallBase>(I) && (!I.mayReadOrWriteMemory() || isa<LoadInst>(I));
      for (const Value *Operand : I.operand_values()) {
        if (!isa<Instruction>(Operand) || L.isLoopInvariant(Operand))
          continue;
        Walk Part = Walks.lookup(Operand);
        W.Steps = SaturatingAdd(W.Steps, Part.Steps);
        W.IsShared &= Part.IsShared;
        // The walk ends at the first operand that is not shared.
        if (!Part.IsShared)
          break;
      }
      Total = SaturatingAdd(Total, W.Steps);
    }
  return Total;
}

/// Elements from thread to thread that the vectorizer still joins.
constexpr uint64_t WidestStep = 8;
/// One access in so many instructions is too much.
constexpr uint64_t InstructionsOfFarAccess = 8;

bool isMostlyFarAccesses(const Loop &L, ScalarEvolution &SE) {
  uint64_t Far = 0, All = 0;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      ++All;
      Value *Pointer = getLoadStorePointerOperand(&I);
      std::optional<ThreadSteps> Steps = Pointer ? threadSteps(SE.getSCEV(Pointer), L, SE) : std::nullopt;
      if (Steps && static_cast<uint64_t>(std::abs(Steps->Step)) >
                       WidestStep * I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue())
        ++Far;
    }
  return Far * InstructionsOfFarAccess > All;
}

} // namespace

PreservedAnalyses CpuVectorizerGuardPass::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (L->isInnermost() && stepsOfWalks(*L, Loops) > MostSteps)
      addStringMetadataToLoop(L, "llvm.loop.vectorize.enable", 0);
  for (Loop *L : innermostThreadLoops(Loops))
    if (isMostlyFarAccesses(*L, FAM.getResult<ScalarEvolutionAnalysis>(F)))
      addStringMetadataToLoop(L, "llvm.loop.vectorize.enable", 0);
  return PreservedAnalyses::all();
}
