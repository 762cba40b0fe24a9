//===- MovedAccesses.cpp - what the vectoriser would move across others ----------------------------------------===//

#include "CpuTarget/MovedAccesses.h"
#include "CpuTarget/ThreadSteps.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kernix {

namespace {

/// Loops with more pairs of accesses are taken to have one that matters.
constexpr size_t MostAccesses = 256;

/// True if the vectoriser may find that I steps over elements. It may assume that no index wraps.
bool mayBeStrided(Instruction &I, const Loop &L, ScalarEvolution &SE) {
  const SCEV *Address = SE.getSCEV(getLoadStorePointerOperand(&I));
  if (SE.isLoopInvariant(Address, &L))
    return false;
  if (std::optional<ThreadSteps> Of = threadSteps(Address, L, SE))
    return static_cast<uint64_t>(std::abs(Of->Step)) !=
           I.getDataLayout().getTypeAllocSize(getLoadStoreType(&I)).getFixedValue();
  // An index that was read from memory has no step, whatever is assumed.
  return !SCEVExprContains(Address,
                           [&](const SCEV *Part) { return isa<SCEVUnknown>(Part) && !SE.isLoopInvariant(Part, &L); });
}

/// Of one thread.
bool mayMeet(Instruction &First, Instruction &Second, ScalarEvolution &SE, AAResults &AA) {
  if (AA.isNoAlias(MemoryLocation::get(&First), MemoryLocation::get(&Second)))
    return false;
  const SCEV *Distance =
      SE.getMinusSCEV(SE.getSCEV(getLoadStorePointerOperand(&Second)), SE.getSCEV(getLoadStorePointerOperand(&First)));
  const auto *Bytes = dyn_cast<SCEVConstant>(Distance);
  if (!Bytes)
    return true;
  auto SizeOf = [](Instruction &I) { return I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue(); };
  const APInt &D = Bytes->getAPInt();
  return D.isNegative() ? D.abs().ult(SizeOf(Second)) : D.ult(SizeOf(First));
}

} // namespace

bool wouldMoveAccesses(ArrayRef<Instruction *> Accesses, const Loop &L, ScalarEvolution &SE, AAResults &AA) {
  SmallVector<bool> Strided;
  for (Instruction *I : Accesses)
    Strided.push_back(mayBeStrided(*I, L, SE));
  if (!is_contained(Strided, true))
    return false;
  if (Accesses.size() > MostAccesses)
    return true;
  // Loads only move up and stores down, so that a load which comes before a store remains there.
  for (size_t First = 0; First < Accesses.size(); ++First) {
    if (!isa<StoreInst>(Accesses[First]))
      continue;
    for (size_t Second = First + 1; Second < Accesses.size(); ++Second)
      if ((Strided[First] || Strided[Second]) && mayMeet(*Accesses[First], *Accesses[Second], SE, AA))
        return true;
  }
  return false;
}

} // namespace kernix
