//===- OwnReads.cpp - reads of what no other thread of the block writes -----------------------------------------===//

#include "Derivative/Analysis/OwnReads.h"
#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
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
DistinctProof OwnReads::proofFor(const Instruction &First, const Instruction &Second, int64_t LeastRow,
                                 bool OfIterations) {
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
  DistinctProof Proof = distinguish(Forms, Both, LeastRow, OfIterations);
  Proof.Assumed.insert(Needed.begin(), Needed.end());
  // Of an id that the kernel does not read: all that it does, it does several times, or the block has one thread there.
  Proof.Ids |= ThreadIds & ~UsedIds;
  return Proof;
}

/// Whether To is run behind From, over edges that Passes lets pass.
static bool isReachable(const Instruction &From, const Instruction &To,
                        function_ref<bool(const BasicBlock *, const BasicBlock *)> Passes) {
  if (From.getParent() == To.getParent() && From.comesBefore(&To))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *> Work = {From.getParent()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    for (const BasicBlock *Next : successors(Block))
      if (Passes(Block, Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return Seen.contains(To.getParent());
}

/// Whether threads are told apart by Condition, and by what is in memory: `threadIdx.x == labels[row]`.
bool OwnReads::choosesByData(const Value *Condition) {
  bool OfThread = false, OfMemory = false;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *> Work = {Condition};
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    std::optional<unsigned> Atom = geometryAtom(I);
    OfThread |= Atom && *Atom < 3;
    const auto *Load = dyn_cast<LoadInst>(I);
    const MemoryObject *O = Load ? Objects.only(Load->getPointerOperand()) : nullptr;
    OfMemory |= O && O->Kind != MemoryObject::Parameter && O->Kind != MemoryObject::Local;
    append_range(Work, I->operand_values());
  }
  return OfThread && OfMemory;
}

bool OwnReads::isChosenByData(const Instruction &Store) {
  for (auto *Node = Dominators.getNode(Store.getParent())->getIDom(); Node; Node = Node->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
        any_of(successors(Branch),
               [&](const BasicBlock *To) { return Dominators.dominates({Node->getBlock(), To}, Store.getParent()); }) &&
        choosesByData(Branch->getCondition()))
      return true;
  }
  return false;
}

/// The loops around both, if a barrier is between the two in different iterations only, of one of these loops at least.
/// What several threads store in one iteration is a race. Where ids alone say which do, that may be seen, and is
/// refused: no loops then.
std::set<const Loop *> OwnReads::loopsBetween(const Instruction &Earlier, const Instruction &Later) {
  std::set<const Loop *> Around;
  if (!isChosenByData(Earlier) || !isChosenByData(Later))
    return {};
  for (const Loop *L = Loops.getLoopFor(Earlier.getParent()); L; L = L->getParentLoop())
    if (L->contains(&Later))
      Around.insert(L);
  auto Passes = [&](const BasicBlock *From, const BasicBlock *To) {
    return none_of(Around, [&](const Loop *L) { return L->getHeader() == To && L->contains(From); });
  };
  for (const Instruction *Ordering : Orderings)
    if (isReachable(Earlier, *Ordering, Passes) && isReachable(*Ordering, Later, Passes))
      return {};
  return Around;
}

/// Whether there is a proof for all threads of a block, or for all iterations of the loops Between, if there are any;
/// what it asks of the launch is then kept for Access.
bool OwnReads::areTold(const Instruction &Access, const std::set<const Loop *> &Between,
                       function_ref<DistinctProof(bool OfIterations)> Prove) {
  auto Try = [&](bool OfIterations, bool SplitsIds) {
    Forms.splitIds(SplitsIds);
    DistinctProof Proof = Prove(OfIterations);
    const bool IsTold =
        OfIterations ? std::includes(Proof.Iterations.begin(), Proof.Iterations.end(), Between.begin(), Between.end())
                     : (Forms.withWholeIds(Proof.Ids) & ThreadIds) == ThreadIds;
    if (IsTold && !Proof.Assumed.empty())
      Assumed[&Access].insert(Proof.Assumed.begin(), Proof.Assumed.end());
    return IsTold;
  };
  if (Try(/*OfIterations=*/false, /*SplitsIds=*/false) || Try(false, true))
    return true;
  return !Between.empty() && (Try(true, false) || Try(true, true));
}

bool OwnReads::isOwn(const LoadInst &Load, const Instruction &Writer) {
  return areTold(Load, {}, [&](bool OfIterations) { return proofFor(Load, Writer, RowOfWarp, OfIterations); });
}

/// Steps of a loop that was unrolled store rows, which blocks may fill that are no warps.
static constexpr int64_t LeastRowOfStores = 4;

bool OwnReads::mayMeet(const Instruction &Earlier, const Instruction &Later) {
  // Without a barrier in between, only one of the threads stores there: otherwise the function has a race.
  return !areTold(Later, loopsBetween(Earlier, Later),
                  [&](bool OfIterations) { return proofFor(Earlier, Later, LeastRowOfStores, OfIterations); });
}

bool OwnReads::mayMeet(const ViewStore &Earlier, const ViewStore &Later, const StoredPlace &Place) {
  return !areTold(*Later.Call, loopsBetween(*Earlier.Call, *Later.Call), [&](bool OfIterations) {
    DistinctProof Whole;
    Whole.Ids = ThreadIds & ~UsedIds;
    // Where an index differs, so does the element.
    for (unsigned K : Place.Indices) {
      LaunchConditions Needed;
      AccessForms Both;
      for (const CallBase *Call : {Earlier.Call, Later.Call})
        if (std::optional<Polynomial> Index = Forms.index(Call->getArgOperand(K), Needed))
          Both.push_back({*Index, 1, Forms.factsAt(Call->getParent())});
      DistinctProof Proof =
          Both.size() == 2 ? distinguish(Forms, Both, LeastRowOfStores, OfIterations) : DistinctProof();
      if (Proof.Ids == 0 && Proof.Iterations.empty())
        continue;
      Whole.Ids |= Proof.Ids;
      Whole.Iterations.insert(Proof.Iterations.begin(), Proof.Iterations.end());
      Whole.Assumed.insert(Needed.begin(), Needed.end());
      Whole.Assumed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
    }
    return Whole;
  });
}
