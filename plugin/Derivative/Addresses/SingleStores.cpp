//===- SingleStores.cpp - which stores of a thread write the same element ---------------------------------------===//

#include "Derivative/Addresses/SingleStores.h"
#include "Derivative/Addresses/DistinctStores.h"
#include "Derivative/Addresses/Steps.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

std::string adviceFor(const MemoryObject &O) {
  return "; keep the value in a local variable and store it once, use atomicAdd" + waysOutOf(O);
}

class Grouping {
public:
  Grouping(const Prepared &P, MemoryObjects &Objects, IndexForms &Forms, FunctionAnalysisManager &FAM,
           Refusals &Refused)
      : Objects(Objects), Forms(Forms), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)),
        Loops(FAM.getResult<LoopAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)),
        Refused(Refused) {}

  /// Groups the stores to one output and appends the groups.
  void group(const MemoryObject &O, ArrayRef<const StoreInst *> Stores, std::vector<StoreGroup> &Groups) {
    size_t FirstGroup = Groups.size();
    SmallVector<const SCEV *, 4> Addresses;
    Places.clear();
    // Those that move first: what LLVM knows of an index in a branch may have taken its place.
    SmallVector<const StoreInst *, 8> InOrder;
    for (bool Moves : {true, false})
      copy_if(Stores, std::back_inserter(InOrder), [&](const StoreInst *Store) {
        const SCEV *Address = Evolution.getSCEV(const_cast<Value *>(Store->getPointerOperand()));
        return (loopOf(*Store, Address) != nullptr) == Moves;
      });
    for (const StoreInst *Store : InOrder) {
      const SCEV *Address = Evolution.getSCEV(const_cast<Value *>(Store->getPointerOperand()));
      size_t K = 0;
      // The same index may be widened with its sign in one place and without it in another. Behind a loop it is that of
      // the last iteration.
      const Loop *Moving = loopOf(*Store, Address);
      while (K < Addresses.size() &&
             (Groups[FirstGroup + K].VariesIn != Moving ||
              (Addresses[K] != Address && constantDistance(Addresses[K], Address, Evolution) != 0)))
        ++K;
      for (size_t Other = 0; K == Addresses.size() && Other < Addresses.size(); ++Other)
        if (isSameHere(O, Groups[FirstGroup + Other], *Store))
          K = Other;
      if (K == Addresses.size()) {
        Addresses.push_back(Address);
        Groups.emplace_back().VariesIn = Moving;
      }
      StoreGroup &G = Groups[FirstGroup + K];
      G.Stores.push_back(Store);
      G.Overwrites |= G.Stores.size() > 1;
      for (const Loop *L = Loops.getLoopFor(Store->getParent()); L && L != G.VariesIn; L = L->getParentLoop())
        G.Overwrites = true;
    }
    for (size_t A = 0; A < Addresses.size(); ++A)
      if (!checkLoops(O, Addresses[A], Groups[FirstGroup + A]))
        return;
    for (size_t A = 0; A < Addresses.size(); ++A)
      for (size_t B = A + 1; B < Addresses.size(); ++B)
        checkPair(O, Groups[FirstGroup + A], Addresses[A], Groups[FirstGroup + B], Addresses[B]);
    // No test that follows from another one.
    for (StoreGroup &G : MutableArrayRef(Groups).drop_front(FirstGroup))
      for (const Polynomial &P : LaunchConditions(G.Conditions))
        if (any_of(G.Conditions, [&](const Polynomial &Q) { return follows(P, Q); }))
          G.Conditions.erase(P);
  }

private:
  /// Whether P is not negative where Q is not. That numbers which have a test of their own are not negative may be used
  /// for all but these tests: of a and a - b, b and b - a none would be left of the first ones.
  bool follows(const Polynomial &P, const Polynomial &Q) {
    const bool IsOfNumber = P.terms().size() == 1 && P.terms().begin()->first.size() == 1;
    return !(P == Q) && Forms.isNeverNegative(P - Q) && (!IsOfNumber || (P - Q).isConstant());
  }

  const Loop *loopOf(const StoreInst &Store, const SCEV *Address) {
    const Loop *L = Loops.getLoopFor(Store.getParent());
    while (L && Evolution.isLoopInvariant(Address, L))
      L = L->getParentLoop();
    return L;
  }

  /// Whether a store is to the element of a group in each iteration that comes to it: to `y[0]`, where `i == 0`.
  bool isSameHere(const MemoryObject &O, StoreGroup &G, const StoreInst &Store) {
    if (!G.VariesIn || !G.VariesIn->contains(&Store))
      return false;
    LaunchConditions Needed = G.Conditions;
    std::optional<Polynomial> Its = Forms.offset(G.Stores.front()->getPointerOperand(), O.Base, Needed),
                              Own = Forms.offset(Store.getPointerOperand(), O.Base, Needed);
    if (!Its || !Own || sizeOf(G) != Store.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType()))
      return false;
    // A counter is one number only in loops around both.
    for (const Polynomial *Offset : {&*Its, &*Own})
      for (const auto &[M, C] : Offset->terms())
        for (unsigned Atom : M)
          if (const Loop *L = Forms.meaning(Atom).L;
              L && !all_of(G.Stores, [&](const StoreInst *Other) { return L->contains(Other) && L->contains(&Store); }))
            return false;
    const std::vector<Fact> &Facts = Forms.factsAt(Store.getParent());
    if (!Forms.isNeverNegative(*Its - *Own, Facts, Needed, /*MayAssume=*/false) ||
        !Forms.isNeverNegative(*Own - *Its, Facts, Needed, /*MayAssume=*/false))
      return false;
    G.Conditions = std::move(Needed);
    return true;
  }

  /// The address must change with every iteration of the loops in which it changes at all.
  bool checkLoops(const MemoryObject &O, const SCEV *Address, StoreGroup &G) {
    StringRef Where = " of the loops around";
    if (areStepsApart(Address, G, Where))
      return true;
    SmallVector<const Loop *, 4> Around;
    for (const Loop *L = G.VariesIn; L; L = L->getParentLoop())
      Around.push_back(L);
    LaunchConditions Needed = G.Conditions;
    std::optional<AccessForm> Place = placeOf(O, G, Needed);
    if (Place && differInIterations(Forms, *Place, Around, Needed)) {
      G.Assumed.clear();
      G.Conditions = std::move(Needed);
      return true;
    }
    if (isShownForChoices({&G}, Needed, [&](LaunchConditions &Assumed) {
          std::optional<AccessForm> Chosen = placeOf(O, G, Assumed);
          return Chosen && differInIterations(Forms, *Chosen, Around, Assumed);
        })) {
      G.Assumed.clear();
      G.Conditions = std::move(Needed);
      return true;
    }
    Refused.error(*G.Stores.front(), "it cannot be shown that " + nameOf(O) +
                                         " is stored to a different element in each iteration" + Where + adviceFor(O) +
                                         boundsThatMayHelp(Around));
    return false;
  }

  /// What is no constant may be one of the template.
  std::string boundsThatMayHelp(ArrayRef<const Loop *> Around) {
    const bool AreConstant =
        all_of(Around, [&](const Loop *L) { return isa<SCEVConstant>(Evolution.getBackedgeTakenCount(L)); });
    return AreConstant ? "" : "; bounds of loops and strides that are template arguments are known here";
  }

  /// Whether something is shown for each value of the conditions that choose these groups' addresses.
  bool isShownForChoices(ArrayRef<const StoreGroup *> Of, LaunchConditions &Assumed,
                         function_ref<bool(LaunchConditions &)> IsShown) {
    constexpr size_t Most = 3;
    SmallVector<const Value *, 4> Addresses;
    std::map<const Value *, bool> Known;
    for (const StoreGroup *G : Of) {
      Addresses.push_back(G->Stores.front()->getPointerOperand());
      Known.merge(Forms.sharedConditionsAt(blockOf(*G)));
    }
    SmallVector<const Value *, 2> Choices = Forms.sharedChoices(Addresses);
    if (Choices.empty() || Choices.size() > Most)
      return false;
    LaunchConditions Needed;
    bool AreAllShown = true;
    for (unsigned Values = 0; AreAllShown && Values < 1U << Choices.size(); ++Values) {
      std::map<const Value *, bool> Chosen;
      for (size_t K = 0; K < Choices.size(); ++K)
        Chosen[Choices[K]] = Values >> K & 1;
      // No thread comes to both.
      if (any_of(Known, [&](const auto &Holds) {
            auto Found = Chosen.find(Holds.first);
            return Found != Chosen.end() && Found->second != Holds.second;
          }))
        continue;
      Forms.choose(std::move(Chosen));
      Places.clear();
      AreAllShown = IsShown(Needed);
    }
    Forms.choose({});
    Places.clear();
    if (AreAllShown)
      Assumed.insert(Needed.begin(), Needed.end());
    return AreAllShown;
  }

  /// Whether a condition that all threads have in common leads to the stores of one group or of the other.
  bool areAlternatives(const StoreGroup &A, const StoreGroup &B) {
    std::map<const Value *, bool> OfB = Forms.sharedConditionsAt(blockOf(B));
    return any_of(Forms.sharedConditionsAt(blockOf(A)), [&](const auto &Holds) {
      auto Found = OfB.find(Holds.first);
      return Found != OfB.end() && Found->second != Holds.second;
    });
  }

  /// Where the stores of a group are, in bytes, and what is known wherever one of them runs.
  std::optional<AccessForm> placeOf(const MemoryObject &O, const StoreGroup &G, LaunchConditions &Assumed) {
    auto [Slot, New] = Places.insert({G.Stores.front(), {}});
    if (New)
      Slot->second.Offset = Forms.offset(G.Stores.front()->getPointerOperand(), O.Base, Slot->second.Assumed);
    if (!Slot->second.Offset)
      return std::nullopt;
    Assumed.insert(Slot->second.Assumed.begin(), Slot->second.Assumed.end());
    return AccessForm{*Slot->second.Offset, static_cast<int64_t>(sizeOf(G)), Forms.factsAt(blockOf(G))};
  }

  /// Where all ways to the stores of a group meet.
  const BasicBlock *blockOf(const StoreGroup &G) const {
    const BasicBlock *Block = G.Stores.front()->getParent();
    for (const StoreInst *Store : G.Stores)
      Block = Dominators.findNearestCommonDominator(Block, Store->getParent());
    return Block;
  }

  unsigned loopDepth(const StoreGroup &G) const { return Loops.getLoopDepth(blockOf(G)); }

  bool dominates(const StoreGroup &A, const StoreGroup &B) const {
    return loopDepth(A) == loopDepth(B) && Dominators.properlyDominates(blockOf(A), blockOf(B));
  }

  /// Whether the steps of the loops show it: each goes past all that the loops inside it cover.
  bool areStepsApart(const SCEV *Address, StoreGroup &G, StringRef &Where) {
    const SCEV *Base = Address;
    const SCEV *Covered = nullptr; // bytes that the loops inside cover
    uint64_t Size = sizeOf(G);
    for (const Loop *L = G.VariesIn; L; L = L->getParentLoop()) {
      std::optional<Steps> Moves = stepsIn(Base, L, Evolution);
      if (!Moves) {
        Where = "";
        return false;
      }
      const SCEV *Step = Moves->Step;
      std::optional<Assumptions> Nonzero;
      if (!Covered)
        Nonzero = assumeStep(Step, Size, Objects);
      else if (covers(Step, Covered))
        Nonzero = Assumptions();
      if (!Nonzero)
        return false;
      addAssumptions(G.Assumed, *Nonzero);
      const SCEV *Count = Evolution.getBackedgeTakenCount(L);
      if (isa<SCEVCouldNotCompute>(Count))
        Count = Evolution.getConstantMaxBackedgeTakenCount(L);
      if (!isa<SCEVCouldNotCompute>(Count)) {
        Type *Wide = Step->getType();
        const SCEV *Times =
            Evolution.getAddExpr(Evolution.getTruncateOrZeroExtend(Count, Wide), Evolution.getOne(Wide));
        Covered = Evolution.getMulExpr(Times, Step);
      } else {
        Covered = Evolution.getCouldNotCompute();
      }
      Base = Moves->Start;
    }
    return true;
  }

  /// Whether a step of an outer loop goes past all that the loops inside it cover.
  bool covers(const SCEV *Step, const SCEV *Covered) {
    if (isa<SCEVCouldNotCompute>(Covered))
      return false;
    if (constantDistance(Step, Covered, Evolution) == 0)
      return true;
    const auto *A = dyn_cast<SCEVConstant>(Step), *B = dyn_cast<SCEVConstant>(Covered);
    return A && B && A->getAPInt().abs().uge(B->getAPInt().abs());
  }

  void checkPair(const MemoryObject &O, StoreGroup &A, const SCEV *First, StoreGroup &B, const SCEV *Second) {
    bool Together = false;
    for (const StoreInst *S : A.Stores)
      for (const StoreInst *T : B.Stores)
        Together |= isPotentiallyReachable(S, T, nullptr, &Dominators, &Loops) ||
                    isPotentiallyReachable(T, S, nullptr, &Dominators, &Loops);
    if (!Together || areAlternatives(A, B))
      return;
    uint64_t Size = sizeOf(A);
    if (neverMeet(First, A.VariesIn, Size, Second, B.VariesIn, sizeOf(B), Evolution))
      return;
    if (Size == sizeOf(B) && A.VariesIn == B.VariesIn) {
      std::optional<Assumption> Apart = assumeApart(First, Second, Size, Objects, Evolution);
      if (!A.VariesIn && Apart) {
        addAssumptions(A.Assumed, {*Apart});
        addAssumptions(B.Assumed, {*Apart});
        return;
      }
    }
    // Members of a struct, of different types perhaps.
    if (!A.VariesIn && !B.VariesIn)
      if (std::optional<int64_t> Distance = constantDistance(First, Second, Evolution);
          Distance && (*Distance >= static_cast<int64_t>(sizeOf(B)) || -*Distance >= static_cast<int64_t>(Size)))
        return;
    // Asked where the one that runs less often runs: a last element that only odd sizes have says that the size is odd.
    StoreGroup &Asking = loopDepth(A) < loopDepth(B) || dominates(B, A) ? A : B;
    LaunchConditions Needed = Asking.Conditions;
    std::optional<AccessForm> PlaceOfA = placeOf(O, A, Needed), PlaceOfB = placeOf(O, B, Needed);
    if (PlaceOfA && PlaceOfB && neverMeet(Forms, *PlaceOfA, *PlaceOfB, Needed)) {
      Asking.Conditions = std::move(Needed);
      return;
    }
    Needed = Asking.Conditions;
    if (isShownForChoices({&A, &B}, Needed, [&](LaunchConditions &Assumed) {
          PlaceOfA = placeOf(O, A, Assumed);
          PlaceOfB = placeOf(O, B, Assumed);
          return PlaceOfA && PlaceOfB && neverMeet(Forms, *PlaceOfA, *PlaceOfB, Assumed);
        })) {
      Asking.Conditions = std::move(Needed);
      return;
    }
    Refused.error(*B.Stores.front(), "it cannot be shown that two stores to " + nameOf(O) +
                                         " are to the same element or to different ones" + adviceFor(O));
  }

  static uint64_t sizeOf(const StoreGroup &G) {
    const StoreInst *Store = G.Stores.front();
    return Store->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType());
  }

  static std::string nameOf(const MemoryObject &O) { return "'" + O.Name + "'"; }

  struct Place {
    std::optional<Polynomial> Offset;
    LaunchConditions Assumed;
  };

  MemoryObjects &Objects;
  IndexForms &Forms;
  DominatorTree &Dominators;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
  Refusals &Refused;
  std::map<const StoreInst *, Place> Places;
};

} // namespace

std::string kernix::waysOutOf(const MemoryObject &O) {
  return O.Name.empty() ? "" : ", or let stores take the gradient: [[kernix::intent(inout_ptr)]] on '" + O.Name + "'";
}

bool StoreGroup::variesIn(const Loop &L) const { return VariesIn && L.contains(VariesIn); }

SingleStores::SingleStores(const Prepared &P, MemoryObjects &Objects, Activity &Active, FunctionAnalysisManager &FAM,
                           Refusals &Refused)
    : Forms(P, Objects, FAM, /*OfOneThread=*/true) {
  MapVector<const MemoryObject *, SmallVector<const StoreInst *, 4>> Stores;
  MapVector<const MemoryObject *, const Instruction *> Additions, Updated;
  SmallVector<const Value *, 16> Addresses;
  for (const Instruction &I : instructions(*P.F)) {
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !Access.Stored || !Active.isActiveAccess(I))
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (!O->isTensorLike())
        continue;
      Addresses.push_back(Access.Pointer);
      if (!isa<StoreInst>(I))
        Additions[O] = &I;
      else if (O->TheLeaf->Access == Leaf::Out)
        Stores[O].push_back(cast<StoreInst>(&I));
      else
        Updated.insert({O, &I});
    }
  }
  Forms.takeApart(Addresses);
  Grouping Group(P, Objects, Forms, FAM, Refused);
  for (auto &[O, List] : Stores) {
    Group.group(*O, List, Groups);
  }
  for (auto &[O, Add] : Additions)
    if (!Stores.contains(O) && !Updated.contains(O))
      continue;
    else if (Refused.request().FactsOfPrimal)
      Refused.error(*Add, "the first derivative both stores to '" + O->Name + "' and adds to it: " + NotTwiceInPlace);
    else
      Refused.error(*Add,
                    "'" + O->Name + "' is both stored to and added to by atomic operations; use atomicAdd for both");
  for (size_t K = 0; K < Groups.size(); ++K)
    for (const StoreInst *Store : Groups[K].Stores)
      Index[Store] = K;
}

bool SingleStores::movesInAllLoops(const StoreInst &Store, const MemoryObject &O, const LoopInfo &Loops) {
  if (InPlace.contains(&Store))
    return true;
  SmallVector<const Loop *, 4> Around;
  for (const Loop *L = Loops.getLoopFor(Store.getParent()); L; L = L->getParentLoop())
    Around.push_back(L);
  LaunchConditions Needed;
  std::optional<Polynomial> Offset = Forms.offset(Store.getPointerOperand(), O.Base, Needed);
  if (!Offset)
    return false;
  auto Size = static_cast<int64_t>(Store.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType()));
  if (!differInIterations(Forms, {*Offset, Size, Forms.factsAt(Store.getParent())}, Around, Needed))
    return false;
  InPlace[&Store] = std::move(Needed);
  return true;
}

const LaunchConditions *SingleStores::conditionsOf(const StoreInst &Store) const {
  auto Found = InPlace.find(&Store);
  return Found == InPlace.end() || Found->second.empty() ? nullptr : &Found->second;
}

const StoreGroup *SingleStores::groupOf(const StoreInst &Store) const {
  auto Found = Index.find(&Store);
  return Found == Index.end() ? nullptr : &Groups[Found->second];
}
