//===- LaunchFacts.cpp - what a launch of a derivative has to fulfil --------------------------------------------===//

#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Addresses/Steps.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/CustomRules/ViewStores.h"
#include "Derivative/Launch/IdBits.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Whether a thread may store to one element twice by rules of views: the gradient of what is overwritten would count.
class RepeatedStores {
public:
  RepeatedStores(ViewStores &Stores, Function &F, FunctionAnalysisManager &FAM)
      : Stores(Stores), Dominators(FAM.getResult<DominatorTreeAnalysis>(F)), Loops(FAM.getResult<LoopAnalysis>(F)),
        Evolution(FAM.getResult<ScalarEvolutionAnalysis>(F)) {}

  void refuse(Refusals &Refused) {
    for (auto [K, Store] : enumerate(Stores.all()))
      if (repeatsInLoop(Store) ||
          any_of(Stores.all().take_front(K), [&](const ViewStore &Other) { return mayMeet(Other, Store); }))
        Refused.error(*Store.Call, "'" + Store.Rule->Name +
                                       "' may store to one element twice, and a value that is overwritten would have "
                                       "a gradient too; keep it in a local variable, and store that once");
  }

private:
  /// Each loop around the call has an index of its own that moves with it.
  bool repeatsInLoop(const ViewStore &Store) {
    const Loop *Inner = Loops.getLoopFor(Store.Call->getParent());
    if (!Inner)
      return false;
    const StoredPlace *Place = Stores.commonPlace(Store, Store);
    if (!Place || !Stores.isOfParameter(Store, *Place))
      return true;
    for (const Loop *L = Inner; L; L = L->getParentLoop())
      if (none_of(Place->Indices, [&](unsigned Index) {
            std::optional<Steps> Moves = stepsIn(Evolution.getSCEV(Store.Call->getArgOperand(Index)), L, Evolution);
            return Moves && isNonZeroStep(Moves->Step, 1) &&
                   Evolution.isLoopInvariant(Moves->Start, Inner->getOutermostLoop());
          }))
        return true;
    return false;
  }

  /// Whether one comes after the other, and no index tells them apart.
  bool mayMeet(const ViewStore &A, const ViewStore &B) {
    if (!isPotentiallyReachable(A.Call, B.Call, nullptr, &Dominators, &Loops) &&
        !isPotentiallyReachable(B.Call, A.Call, nullptr, &Dominators, &Loops))
      return false;
    if (Stores.areOfDifferentViews(A, B))
      return false;
    const StoredPlace *Place = Stores.commonPlace(A, B);
    bool InLoop = Loops.getLoopFor(A.Call->getParent()) || Loops.getLoopFor(B.Call->getParent());
    return !Place || none_of(Place->Indices, [&](unsigned K) {
      Value *First = A.Call->getArgOperand(K), *Second = B.Call->getArgOperand(K);
      if (InLoop && !(isa<ConstantInt>(First) && isa<ConstantInt>(Second)))
        return false;
      const auto *Distance =
          dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(Evolution.getSCEV(First), Evolution.getSCEV(Second)));
      return Distance && !Distance->getValue()->isZero();
    });
  }

  ViewStores &Stores;
  DominatorTree &Dominators;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
};

/// What all stores depend on, and how large blocks and grids may be, lest several threads make one store.
class StoringThreads {
public:
  StoringThreads(Function &F, bool IsReverse, Refusals &Refused)
      : Refused(Refused), IsReverse(IsReverse), UsesIds(any_of(instructions(F), [](const Instruction &I) {
          std::optional<unsigned> Atom = geometryAtom(&I);
          return Atom && *Atom < NumIds;
        })) {}

  void add(const Instruction &I, const AccessIds &Own, const Twine &ToWhat, StringRef Guard) {
    if (!Own.ids() && UsesIds)
      Refused.error(I, "all threads store to one element " + ToWhat + "; guard the " + Guard);
    Ids &= Own.ids();
    for (unsigned Id = 0; Id < NumIds && IsReverse; ++Id)
      if (std::optional<unsigned> Bit = Own.missing(Id)) {
        if (*Bit == 0)
          return Refused.error(I, Twine(Id < 3 ? "threads" : "blocks") + " next to each other along " +
                                      (Id < 3 ? "threadIdx." : "blockIdx.") + Twine("xyz"[Id % 3]) +
                                      " store to one element " + ToWhat +
                                      ", and each would take its whole gradient; guard the " + Guard);
        unsigned &Least = LeastMissing[Id];
        Least = Least ? std::min(Least, *Bit) : *Bit;
      }
  }

  void write(const DerivativeRequest &Request) const {
    setLaunchFact(Request, StoreIds, Ids);
    unsigned Bits = 0;
    for (auto [Id, Least] : enumerate(LeastMissing))
      Bits |= Least << 5 * Id;
    setLaunchFact(Request, StoreBits, Bits);
  }

  bool usesIds() const { return UsesIds; }

private:
  Refusals &Refused;
  bool IsReverse, UsesIds;
  unsigned Ids = (1U << NumIds) - 1;
  std::array<unsigned, NumIds> LeastMissing = {}; ///< 0: none
};

} // namespace

void kernix::writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM,
                              Refusals &Refused) {
  MemoryObjects Objects(P, Request);
  IdDependence Depends(*P.F, Objects, FAM);
  ViewStores OfViews(Objects, *P.F, FAM);
  RepeatedStores(OfViews, *P.F, FAM).refuse(Refused);
  const bool IsReverse = Request.Mode == DerivativeRequest::Reverse;
  StoringThreads Threads(*P.F, IsReverse, Refused);
  for (const Instruction &I : instructions(*P.F)) {
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Threads.usesIds() && IsReverse)
      for (const MemoryObject *O : Objects.of(Load->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active && is_contained({"unique", "once"}, O->TheLeaf->Diff) &&
            !Depends.of(I).ids())
          Refused.error(I, "all threads read one element of '" + O->Name + "' here, which [[kernix::diff(" +
                               O->TheLeaf->Diff + ")]] says no two do; write [[kernix::diff]]");
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      for (const MemoryObject *O : Objects.of(Store->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active)
          Threads.add(*Store, Depends.of(*Store), "of '" + O->Name + "'",
                      "store so that one thread does it, or use atomicAdd");
  }
  for (const ViewStore &Store : OfViews.all())
    Threads.add(*Store.Call, Depends.of(*Store.Call, *Store.Rule), "by '" + Store.Rule->Name + "'",
                "call so that one thread does it, or atomicAdd to a kernix::TensorView");
  Threads.write(Request);
}

unsigned kernix::launchFact(const GlobalVariable &Facts, LaunchFact Fact) {
  const auto *Fields = dyn_cast<ConstantStruct>(Facts.getInitializer());
  const auto *Value =
      Fields && Fields->getNumOperands() > Fact ? dyn_cast<ConstantInt>(Fields->getOperand(Fact)) : nullptr;
  return Value ? static_cast<unsigned>(Value->getZExtValue()) : 0;
}

void kernix::setLaunchFact(const DerivativeRequest &Request, LaunchFact Fact, unsigned Value) {
  auto *Old = dyn_cast<ConstantStruct>(Request.Facts->getInitializer());
  if (!Old || Old->getNumOperands() <= Fact)
    return;
  SmallVector<Constant *, 5> Fields;
  for (const Use &Field : Old->operands())
    Fields.push_back(cast<Constant>(Field));
  Fields[Fact] = ConstantInt::get(Fields[Fact]->getType(), Value);
  Request.Facts->setInitializer(ConstantStruct::get(Old->getType(), Fields));
}
