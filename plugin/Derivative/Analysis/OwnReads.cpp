//===- OwnReads.cpp - reads of what no other thread of the block writes -----------------------------------------===//

#include "Derivative/Analysis/OwnReads.h"
#include "Derivative/Accumulation/Accumulation.h"
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

bool OwnReads::isBehindBarrier(const Instruction &Access, const Instruction &Writer) const {
  return any_of(Orderings, [&](const Instruction *Ordering) {
    return isPotentiallyReachable(&Writer, Ordering, nullptr, &Dominators, &Loops) &&
           isPotentiallyReachable(Ordering, &Access, nullptr, &Dominators, &Loops);
  });
}

/// By which ids of the thread they are told apart: no bits where a place is not understood.
DistinctProof OwnReads::proofFor(const Instruction &First, const Instruction &Second, int64_t LeastRow) {
  LaunchConditions Needed;
  SmallVector<AccessForm, 2> Both;
  for (const Instruction *I : {&First, &Second}) {
    MemoryAccess Access = accessOf(*I);
    // Null: it writes in another way than by one access.
    const MemoryObject *O = Access.Pointer ? Objects.only(Access.Pointer) : nullptr;
    std::optional<Polynomial> Offset = O ? Forms.offset(Access.Pointer, O->Base, Needed) : std::nullopt;
    if (!Offset || O != Objects.only(accessOf(First).Pointer))
      return {};
    Both.push_back({*Offset, static_cast<int64_t>(I->getDataLayout().getTypeStoreSize(Access.Type)),
                    Forms.factsAt(I->getParent())});
  }
  DistinctProof Proof = distinguish(Forms, Both, LeastRow);
  Proof.Assumed.insert(Needed.begin(), Needed.end());
  // Of an id that the kernel does not read: all that it does, it does several times, or the block has one thread there.
  Proof.Ids |= ~UsedIds & 7;
  return Proof;
}

/// Whether there is a proof for all threads of a block; what it asks of the launch is then kept for Access.
bool OwnReads::areTold(const Instruction &Access, function_ref<DistinctProof()> Prove) {
  for (bool SplitsIds : {false, true}) {
    Forms.splitIds(SplitsIds);
    DistinctProof Proof = Prove();
    if ((Forms.withWholeIds(Proof.Ids) & 7) != 7)
      continue;
    if (!Proof.Assumed.empty())
      Assumed[&Access].insert(Proof.Assumed.begin(), Proof.Assumed.end());
    return true;
  }
  return false;
}

bool OwnReads::isOwn(const LoadInst &Load, const Instruction &Writer) {
  return areTold(Load, [&] { return proofFor(Load, Writer, RowOfWarp); });
}

/// Steps of a loop that was unrolled store rows, which blocks may fill that are no warps.
static constexpr int64_t LeastRowOfStores = 4;

bool OwnReads::mayMeet(const Instruction &Earlier, const Instruction &Later) {
  return !areTold(Later, [&] { return proofFor(Earlier, Later, LeastRowOfStores); });
}

bool OwnReads::mayMeet(const ViewStore &Earlier, const ViewStore &Later, const StoredPlace &Place) {
  return !areTold(*Later.Call, [&] {
    DistinctProof Whole;
    Whole.Ids = ~UsedIds & 7;
    // Where an index differs, so does the element.
    for (unsigned K : Place.Indices) {
      LaunchConditions Needed;
      AccessForms Both;
      for (const CallBase *Call : {Earlier.Call, Later.Call})
        if (std::optional<Polynomial> Index = Forms.index(Call->getArgOperand(K), Needed))
          Both.push_back({*Index, 1, Forms.factsAt(Call->getParent())});
      DistinctProof Proof = Both.size() == 2 ? distinguish(Forms, Both, LeastRowOfStores) : DistinctProof();
      if (Proof.Ids == 0)
        continue;
      Whole.Ids |= Proof.Ids;
      Whole.Assumed.insert(Needed.begin(), Needed.end());
      Whole.Assumed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
    }
    return Whole;
  });
}
