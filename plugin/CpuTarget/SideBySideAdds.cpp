//===- SideBySideAdds.cpp - additions of many threads at once ---------------------------------------------------===//
//
// The vectoriser takes the loops that are marked as parallel at their word: it joins accesses that lie in between each
// other, x[2 * i] and x[2 * i + 1], and moves them for that across others. Accesses to consecutive elements it leaves
// where they are. So either an addition goes to consecutive elements, and its neighbours may be anything that does so
// too, or all additions to what may be the same memory have to be to different elements altogether.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/SideBySideAdds.h"
#include "CpuTarget/ThreadSteps.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;

namespace kernix {

namespace {

struct Place {
  AtomicRMWInst *Addition;
  uint64_t Size;
  int64_t Step; ///< bytes from thread to thread
};

bool isConsecutive(const Place &P) { return static_cast<uint64_t>(std::abs(P.Step)) == P.Size; }

/// True if no thread's First meets a Second, another thread's or its own: they are two parts of one element, and
/// elements follow each other.
bool areParts(const Place &First, const Place &Second, ScalarEvolution &SE) {
  auto AddressOf = [&](const Place &P) { return SE.getSCEV(P.Addition->getPointerOperand()); };
  const auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(AddressOf(Second), AddressOf(First)));
  if (!Distance || First.Step != Second.Step)
    return false;
  int64_t D = Distance->getAPInt().getSExtValue();
  if (static_cast<uint64_t>(std::abs(D)) < std::max(First.Size, Second.Size))
    return false;
  uint64_t Bytes = D >= 0 ? static_cast<uint64_t>(D) + Second.Size : static_cast<uint64_t>(-D) + First.Size;
  return Bytes <= static_cast<uint64_t>(std::abs(First.Step));
}

bool areApart(const Place &First, const Place &Second, AAResults &AA) {
  auto Anywhere = [](const Place &P) {
    return MemoryLocation::getBeforeOrAfter(P.Addition->getPointerOperand(), P.Addition->getAAMetadata());
  };
  return AA.isNoAlias(Anywhere(First), Anywhere(Second));
}

} // namespace

bool mayAddSideBySide(ArrayRef<AtomicRMWInst *> Additions, const Loop &L, ScalarEvolution &SE, AAResults &AA) {
  SmallVector<Place, 8> Places;
  for (AtomicRMWInst *Addition : Additions) {
    uint64_t Size = Addition->getDataLayout().getTypeStoreSize(Addition->getType());
    std::optional<ThreadSteps> Of = threadSteps(SE.getSCEV(Addition->getPointerOperand()), L, SE);
    if (!Of || Of->Between < Size)
      return false;
    Places.push_back({Addition, Size, Of->Step});
  }
  // Each pair of which one might be moved.
  for (const Place &First : Places)
    for (const Place &Second : Places)
      if (&First != &Second && !isConsecutive(First) && !areParts(First, Second, SE) && !areApart(First, Second, AA))
        return false;
  return true;
}

} // namespace kernix
