//===- OwnReads.cpp - reads of what no other thread of the block writes -----------------------------------------===//

#include "Derivative/Analysis/OwnReads.h"
#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

OwnReads::OwnReads(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
    : Objects(Objects), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)),
      Loops(FAM.getResult<LoopAnalysis>(*P.F)), Forms(P, Objects, FAM), UsedIds(idsRead(*P.F)) {
  for (const Instruction &I : instructions(*P.F))
    if (orderingCall(I))
      Orderings.push_back(&I);
}

bool OwnReads::isBehindBarrier(const LoadInst &Load, const Instruction &Writer) const {
  return any_of(Orderings, [&](const Instruction *Ordering) {
    return isPotentiallyReachable(&Writer, Ordering, nullptr, &Dominators, &Loops) &&
           isPotentiallyReachable(Ordering, &Load, nullptr, &Dominators, &Loops);
  });
}

bool OwnReads::isOwn(const LoadInst &Load, const Instruction &Writer) {
  const MemoryObject *O = Objects.only(Load.getPointerOperand());
  if (!O || O != Objects.only(accessOf(Writer).Pointer))
    return false;
  LaunchConditions Needed;
  SmallVector<AccessForm, 2> Both;
  for (const Instruction *I : {static_cast<const Instruction *>(&Load), &Writer}) {
    MemoryAccess Access = accessOf(*I);
    std::optional<Polynomial> Offset = Forms.offset(Access.Pointer, O->Base, Needed);
    if (!Offset)
      return false;
    Both.push_back({*Offset, static_cast<int64_t>(I->getDataLayout().getTypeStoreSize(Access.Type)),
                    Forms.factsAt(I->getParent())});
  }
  DistinctProof Proof = distinguish(Forms, Both);
  // Of an id that the kernel does not read: all that it does, it does several times, or the block has one thread there.
  constexpr unsigned OfThreads = 7;
  if (((Proof.Ids | ~UsedIds) & OfThreads) != OfThreads)
    return false;
  Needed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
  if (!Needed.empty())
    Assumed[&Load].insert(Needed.begin(), Needed.end());
  return true;
}
