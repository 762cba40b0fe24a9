//===- RepeatedStores.cpp - stores to views that carry their gradients, to one element twice ----------------------===//

#include "Derivative/CustomRules/RepeatedStores.h"
#include "Derivative/Addresses/DistinctStores.h"
#include "Derivative/Addresses/Steps.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace kernix;

RepeatedStores::RepeatedStores(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
    : Stores(Objects, *P.F, FAM), Forms(P, Objects, FAM, /*OfOneThread=*/true),
      Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Loops(FAM.getResult<LoopAnalysis>(*P.F)),
      Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)) {
  SmallVector<const Value *, 16> Indices;
  for (const ViewStore &Store : Stores.all())
    if (const StoredPlace *Place = Stores.commonPlace(Store, Store))
      for (unsigned K : Place->Indices)
        Indices.push_back(Store.Call->getArgOperand(K));
  Forms.takeApart(Indices);
}

void RepeatedStores::refuse(Refusals &Refused) {
  for (auto [K, Store] : enumerate(Stores.all()))
    if (repeatsInLoop(Store) ||
        any_of(Stores.all().take_front(K), [&](const ViewStore &Other) { return mayMeet(Other, Store); })) {
      const RequestParameter *View = Stores.viewOf(Store);
      Refused.error(*Store.Call, (View ? "one element of '" + View->Name + "' may be stored to twice"
                                       : "'" + Store.Rule->Name + "' may store to one element twice") +
                                     ", and a value that is overwritten would have a gradient too; keep it in a local "
                                     "variable, and store that once");
    }
}

const RepeatedStores::Basis *RepeatedStores::basisOf(const CallBase &Store) const {
  auto Found = Bases.find(&Store);
  return Found == Bases.end() || Found->second.Conditions.empty() ? nullptr : &Found->second;
}

bool RepeatedStores::repeatsInLoop(const ViewStore &Store) {
  const Loop *Inner = Loops.getLoopFor(Store.Call->getParent());
  if (!Inner)
    return false;
  const StoredPlace *Place = Stores.commonPlace(Store, Store);
  if (!Place || !Stores.isOfParameter(Store, *Place))
    return true;
  // Each loop around the call has an index of its own that moves with it.
  for (const Loop *L = Inner; L; L = L->getParentLoop())
    if (none_of(Place->Indices, [&](unsigned Index) {
          std::optional<Steps> Moves = stepsIn(Evolution.getSCEV(Store.Call->getArgOperand(Index)), L, Evolution);
          return Moves && isNonZeroStep(Moves->Step, 1) &&
                 Evolution.isLoopInvariant(Moves->Start, Inner->getOutermostLoop());
        }))
      return !differsInIterations(Store, *Place);
  return false;
}

std::optional<AccessForm> RepeatedStores::indexOf(const ViewStore &Store, unsigned Operand, LaunchConditions &Needed) {
  LaunchConditions Own = Needed;
  std::optional<Polynomial> Index = Forms.index(Store.Call->getArgOperand(Operand), Own);
  if (!Index)
    return std::nullopt;
  Needed = std::move(Own);
  return AccessForm{*Index, 1, Forms.factsAt(Store.Call->getParent())};
}

/// What is tested where a store is reversed.
void RepeatedStores::rest(const ViewStore &On, const LaunchConditions &Needed) {
  Basis &B = Bases[On.Call];
  if (const RequestParameter *View = Stores.viewOf(On))
    B.View = View->Name;
  B.Conditions.insert(Needed.begin(), Needed.end());
}

/// Whether all indices together tell the iterations apart, as the quotients and remainders of a counter do.
bool RepeatedStores::differsInIterations(const ViewStore &Store, const StoredPlace &Place) {
  LaunchConditions Needed;
  AccessForms Indices;
  // One that has no form may have any value.
  for (unsigned K : Place.Indices)
    if (std::optional<AccessForm> Index = indexOf(Store, K, Needed))
      Indices.push_back(*Index);
  SmallVector<const Loop *, 4> Around;
  for (const Loop *L = Loops.getLoopFor(Store.Call->getParent()); L; L = L->getParentLoop())
    Around.push_back(L);
  if (!Stores.viewOf(Store) || Indices.empty() || !differInIterations(Forms, Indices, Around, Needed))
    return false;
  rest(Store, Needed);
  return true;
}

/// Whether indices of both are different, whichever iterations they are in: `y[i]` and `y[n + i]`.
bool RepeatedStores::areApart(const ViewStore &A, const ViewStore &B, const StoredPlace &Place) {
  LaunchConditions Needed;
  AccessForms OfA, OfB;
  for (unsigned K : Place.Indices) {
    LaunchConditions Own = Needed;
    std::optional<AccessForm> First = indexOf(A, K, Own), Second = First ? indexOf(B, K, Own) : std::nullopt;
    if (!Second)
      continue;
    OfA.push_back(*First);
    OfB.push_back(*Second);
    Needed = std::move(Own);
  }
  if (!Stores.isOfParameter(A, Place) || !neverMeet(Forms, OfA, OfB, Needed))
    return false;
  // Asked where the one that runs less often runs.
  auto DepthOf = [&](const ViewStore &Store) { return Loops.getLoopDepth(Store.Call->getParent()); };
  rest(DepthOf(A) < DepthOf(B) || (DepthOf(A) == DepthOf(B) && Dominators.dominates(B.Call, A.Call)) ? A : B, Needed);
  return true;
}

/// Whether one comes after the other, and no index tells them apart.
bool RepeatedStores::mayMeet(const ViewStore &A, const ViewStore &B) {
  if (!isPotentiallyReachable(A.Call, B.Call, nullptr, &Dominators, &Loops) &&
      !isPotentiallyReachable(B.Call, A.Call, nullptr, &Dominators, &Loops))
    return false;
  if (Stores.areOfDifferentViews(A, B))
    return false;
  const StoredPlace *Place = Stores.commonPlace(A, B);
  if (!Place)
    return true;
  bool InLoop = Loops.getLoopFor(A.Call->getParent()) || Loops.getLoopFor(B.Call->getParent());
  auto AreApart = [&](unsigned K) {
    Value *First = A.Call->getArgOperand(K), *Second = B.Call->getArgOperand(K);
    if (InLoop && !(isa<ConstantInt>(First) && isa<ConstantInt>(Second)))
      return false;
    const auto *Distance =
        dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(Evolution.getSCEV(First), Evolution.getSCEV(Second)));
    return Distance && !Distance->getValue()->isZero();
  };
  return none_of(Place->Indices, AreApart) && !areApart(A, B, *Place);
}
