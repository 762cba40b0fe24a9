//===- ThreadSteps.cpp - how an address changes from thread to thread -------------------------------------------===//

#include "CpuTarget/ThreadSteps.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace kernix;

/// Iterations of the loops over threads, at most: 64 blocks side by side.
static constexpr uint64_t MostThreads = 64 * 1024;

std::optional<ThreadSteps> kernix::threadSteps(const SCEV *S, const Loop &L, ScalarEvolution &SE) {
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S)) {
    if (Recurrence->getLoop() != &L || !Recurrence->isAffine())
      return std::nullopt;
    const auto *Step = dyn_cast<SCEVConstant>(Recurrence->getStepRecurrence(SE));
    if (!Step || Step->isZero() || Step->getAPInt().getSignificantBits() > 32)
      return std::nullopt;
    int64_t By = Step->getAPInt().getSExtValue();
    return ThreadSteps{By, static_cast<uint64_t>(std::abs(By))};
  }
  if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(S)) {
    const SCEV *Narrow = cast<SCEVIntegralCastExpr>(S)->getOperand();
    std::optional<ThreadSteps> Of = threadSteps(Narrow, L, SE);
    // The narrow number may wrap, but does not come round to where it was.
    if (!Of || !isa<SCEVAddRecExpr>(Narrow) || Of->Between > UINT32_MAX / MostThreads ||
        SE.getTypeSizeInBits(Narrow->getType()) < 32)
      return std::nullopt;
    return ThreadSteps{Of->Step, 1};
  }
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S)) {
    const auto *Factor = dyn_cast<SCEVConstant>(Product->getOperand(0));
    if (!Factor || Product->getNumOperands() != 2 || Factor->getAPInt().getSignificantBits() > 24)
      return std::nullopt;
    std::optional<ThreadSteps> Of = threadSteps(Product->getOperand(1), L, SE);
    int64_t By = Factor->getAPInt().getSExtValue();
    if (Of)
      Of = ThreadSteps{Of->Step * By, Of->Between * static_cast<uint64_t>(std::abs(By))};
    return Of;
  }
  const auto *Sum = dyn_cast<SCEVAddExpr>(S);
  if (!Sum)
    return std::nullopt;
  const SCEV *Varying = nullptr;
  for (const SCEV *Part : Sum->operands()) {
    if (SE.isLoopInvariant(Part, &L))
      continue;
    if (Varying)
      return std::nullopt;
    Varying = Part;
  }
  return Varying ? threadSteps(Varying, L, SE) : std::nullopt;
}
