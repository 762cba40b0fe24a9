//===- StoreTables.cpp - where all threads of a block store to, iteration by iteration --------------------------===//

#include "Derivative/Addresses/StoreTables.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Stores of one thread that are gone through, times threads.
static constexpr size_t MostWork = 1U << 16;

StoreTables::StoreTables(Function &F, const UniformValues &Uniform, FunctionAnalysisManager &FAM)
    : F(F), Uniform(Uniform), Dominators(FAM.getResult<DominatorTreeAnalysis>(F)),
      Loops(FAM.getResult<LoopAnalysis>(F)) {}

namespace {

bool isBlockBarrier(const Instruction &I) {
  const CallInst *Ordering = orderingCall(I);
  return Ordering && isBarrier(*Ordering->getCalledFunction());
}

/// Calls Visit for what is reached from From without a barrier, in L alone and not by its back edges.
void forEachReached(const Instruction &From, const Loop &L, function_ref<void(const Instruction &)> Visit) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work = {&From};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    for (; I && !isBlockBarrier(*I); I = I->getNextNode()) {
      Visit(*I);
      if (I->isTerminator())
        for (const BasicBlock *Next : successors(I))
          if (L.contains(Next) && Next != L.getHeader() && Seen.insert(Next).second)
            Work.push_back(&Next->front());
    }
  }
}

/// What a condition has to be for the branch at the end of a block to lead on.
struct Guard {
  const Value *Condition;
  APInt Wanted;
};

Guard guardOf(const BranchInst &Branch, bool Holds) { return {Branch.getCondition(), APInt(1, Holds)}; }

/// For threads that come to Block.
SmallVector<Guard, 8> guardsOf(const BasicBlock &Block, const DominatorTree &Dominators) {
  SmallVector<Guard, 8> Result;
  for (const DomTreeNode *Node = Dominators.getNode(&Block)->getIDom(); Node; Node = Node->getIDom()) {
    const Instruction *End = Node->getBlock()->getTerminator();
    auto LeadsHere = [&](const BasicBlock *Next) {
      BasicBlockEdge Edge(Node->getBlock(), Next);
      return Edge.isSingleEdge() && Dominators.dominates(Edge, &Block);
    };
    if (const auto *Switch = dyn_cast<SwitchInst>(End))
      for (const auto &Case : Switch->cases())
        if (LeadsHere(Case.getCaseSuccessor()))
          Result.push_back({Switch->getCondition(), Case.getCaseValue()->getValue()});
    const auto *Branch = dyn_cast<BranchInst>(End);
    if (!Branch || !Branch->isConditional())
      continue;
    for (unsigned K : {0U, 1U})
      if (LeadsHere(Branch->getSuccessor(K)))
        Result.push_back(guardOf(*Branch, K == 0));
  }
  return Result;
}

/// Takes those for whom a condition is known to be something else out of Here.
void keepWhere(BitVector &Here, const ThreadTables::Column *Condition, const APInt &Wanted) {
  if (!Condition)
    return;
  for (unsigned Thread : Here.set_bits())
    if ((*Condition)[Thread] != Wanted)
      Here.reset(Thread);
}

} // namespace

/// Whether there is a barrier between any two iterations of L in which one of the stores runs.
bool StoreTables::isOrdered(const Loop &L, Stores All) const {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || any_of(All, [&](const StoreInst *Store) { return !L.contains(Store); }))
    return false;
  bool Begins = false, Ends = false;
  forEachReached(L.getHeader()->front(), L, [&](const Instruction &I) { Begins |= is_contained(All, &I); });
  for (const StoreInst *Store : All)
    forEachReached(*Store, L, [&](const Instruction &I) { Ends |= &I == Latch->getTerminator(); });
  return !Begins || !Ends;
}

/// What is only added, and is the same for all threads, must be so in all iterations that are compared, and for all
/// stores.
bool StoreTables::hasCommonParts(const Run &R, const StoreInst &Store, const ThreadTable &Table) const {
  for (const auto &[Part, Times] : Table.Common)
    if (const auto *I = dyn_cast<Instruction>(Part.V))
      for (const Loop *L = Loops.getLoopFor(I->getParent()); L; L = L->getParentLoop())
        if (!R.Ordered.contains(L))
          return false;
  return !R.Common || *R.Common == Table.Common;
}

bool StoreTables::record(Run &R, const StoreInst &Store, const Counters &Known, BitVector Here,
                         const std::vector<unsigned> &Iterations) {
  const DataLayout &DL = F.getDataLayout();
  ThreadTables Tables(R.Shape, Uniform, DL, Known);
  for (const Guard &G : guardsOf(*Store.getParent(), Dominators))
    keepWhere(Here, Tables.computed(G.Condition), G.Wanted);
  R.ReadsExtents |= Tables.readsExtents();
  R.Work += Tables.threads();
  if (Here.none())
    return R.Work <= MostWork;
  std::optional<ThreadTable> Table = Tables.offset(Store.getPointerOperand(), R.Base);
  R.ReadsExtents |= Tables.readsExtents();
  if (!Table || !hasCommonParts(R, Store, *Table))
    return false;
  R.Common = Table->Common;
  auto Size = static_cast<int64_t>(DL.getTypeStoreSize(Store.getValueOperand()->getType()));
  std::vector<Piece> &Pieces = R.Pieces[Iterations];
  bool KnowsPlace = R.Bytes && Table->Common.empty();
  for (unsigned Thread : Here.set_bits()) {
    auto Begin = static_cast<int64_t>(Table->OfThread[Thread]);
    if (KnowsPlace && (Begin < 0 || Begin + Size > R.Bytes))
      R.Outside.set(Thread);
    else
      Pieces.push_back({Begin, Begin + Size, Thread});
  }
  return R.Work <= MostWork;
}

/// All iterations of the outermost loop of the nest, for the threads that are here.
bool StoreTables::goThrough(Run &R, const StoreInst &Store, ArrayRef<const Loop *> Nest, Counters &Known,
                            BitVector Here, std::vector<unsigned> &Iterations) {
  const Loop &L = *Nest.front();
  const BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  SmallVector<const PHINode *, 4> Phis;
  if (Latch && Before)
    for (const PHINode &Phi : L.getHeader()->phis())
      if (Phi.getType()->isIntegerTy())
        Phis.push_back(&Phi);
  auto Set = [&](const PHINode &Phi, const ThreadTables::Column *Values) {
    if (Values)
      Known[&Phi] = *Values;
    else
      Known.erase(&Phi);
  };
  auto Forget = [&] {
    for (const PHINode *Phi : Phis)
      Known.erase(Phi);
  };
  {
    ThreadTables Tables(R.Shape, Uniform, F.getDataLayout(), Known);
    for (const PHINode *Phi : Phis)
      Set(*Phi, Tables.computed(Phi->getIncomingValueForBlock(Before)));
    R.ReadsExtents |= Tables.readsExtents();
  }
  SmallVector<Guard, 4> Stays;
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *Block : Exiting)
    if (const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator()); Branch && Latch && Branch->isConditional())
      if (Dominators.dominates(Block, Latch))
        Stays.push_back(guardOf(*Branch, L.contains(Branch->getSuccessor(0))));
  bool IsOrdered = R.Ordered.contains(&L), LeavesObject = false;
  for (unsigned Iteration = 0; Here.any(); ++Iteration) {
    auto GoOn = [&] {
      if (IsOrdered)
        Iterations.push_back(Iteration);
      bool Done = go(R, Store, Nest.drop_front(), Known, Here, Iterations);
      if (IsOrdered)
        Iterations.pop_back();
      return Done;
    };
    ThreadTables Tables(R.Shape, Uniform, F.getDataLayout(), Known);
    bool KnowsEnd = any_of(Stays, [&](const Guard &G) { return Tables.computed(G.Condition); });
    if (!KnowsEnd && !LeavesObject) {
      // Perhaps one iteration can stand for all the others.
      Counters Saved = Known;
      Forget();
      if (GoOn())
        break;
      // Threads that store in each iteration leave at the latest when they would store to what is not there. Stores for
      // which one iteration stands have to meet all of these.
      if ((IsOrdered && R.HasSeveralStores) || !R.Bytes || !Latch || Nest.size() != 1 ||
          !Dominators.dominates(Store.getParent(), Latch))
        return false;
      Known = std::move(Saved);
      LeavesObject = true;
    }
    R.Outside.reset();
    if (!GoOn())
      return false;
    if (LeavesObject)
      Here.reset(R.Outside);
    for (const Guard &G : Stays)
      keepWhere(Here, Tables.computed(G.Condition), G.Wanted);
    std::vector<std::pair<const PHINode *, const ThreadTables::Column *>> Next;
    for (const PHINode *Phi : Phis)
      Next.push_back({Phi, Tables.computed(Phi->getIncomingValueForBlock(Latch))});
    for (auto [Phi, Values] : Next)
      Set(*Phi, Values);
    R.ReadsExtents |= Tables.readsExtents();
    R.Work += Tables.threads();
    if (R.Work > MostWork)
      return false;
  }
  Forget();
  return true;
}

bool StoreTables::go(Run &R, const StoreInst &Store, ArrayRef<const Loop *> Nest, Counters &Known, BitVector Here,
                     std::vector<unsigned> &Iterations) {
  return Nest.empty() ? record(R, Store, Known, std::move(Here), Iterations)
                      : goThrough(R, Store, Nest, Known, std::move(Here), Iterations);
}

/// Whether pieces of different threads do.
bool StoreTables::overlap(std::vector<Piece> &Pieces) {
  llvm::sort(Pieces, [](const Piece &A, const Piece &B) { return A.Begin < B.Begin; });
  // What ends last, and what does so of other threads.
  Piece Last = {0, INT64_MIN, SIZE_MAX}, Other = Last;
  for (const Piece &P : Pieces) {
    if ((Last.Thread != P.Thread && Last.End > P.Begin) || (Other.Thread != P.Thread && Other.End > P.Begin))
      return true;
    if (P.Thread == Last.Thread) {
      Last.End = std::max(Last.End, P.End);
    } else if (P.End >= Last.End) {
      Other = Last;
      Last = P;
    } else if (P.End > Other.End) {
      Other = P;
    }
  }
  return false;
}

bool StoreTables::areApart(Stores All, const Value *Base, const std::array<int64_t, 3> &Shape, bool &ReadsExtents) {
  auto Threads = static_cast<unsigned>(Shape[0] * Shape[1] * Shape[2]);
  Run R;
  R.Base = Base;
  R.Shape = Shape;
  R.HasSeveralStores = All.size() > 1;
  R.Outside.resize(Threads);
  if (const auto *Variable = dyn_cast<GlobalVariable>(Base))
    R.Bytes = static_cast<int64_t>(F.getDataLayout().getTypeAllocSize(Variable->getValueType()));
  auto NestOf = [&](const StoreInst &Store) {
    SmallVector<const Loop *, 4> Nest;
    for (const Loop *L = Loops.getLoopFor(Store.getParent()); L; L = L->getParentLoop())
      Nest.insert(Nest.begin(), L);
    return Nest;
  };
  // In a loop that is in no order neither are those inside it.
  for (const Loop *L : NestOf(*All.front())) {
    if (!isOrdered(*L, All))
      break;
    R.Ordered.insert(L);
  }
  for (const StoreInst *Store : All) {
    Counters Known;
    std::vector<unsigned> Iterations;
    if (!go(R, *Store, NestOf(*Store), Known, BitVector(Threads, true), Iterations))
      return false;
  }
  ReadsExtents = R.ReadsExtents;
  return none_of(R.Pieces, [](auto &Entry) { return overlap(Entry.second); });
}
