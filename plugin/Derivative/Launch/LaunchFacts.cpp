//===- LaunchFacts.cpp - what a launch of a derivative has to fulfil --------------------------------------------===//

#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Addresses/Steps.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/CustomRules/ViewStores.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr unsigned AllIds = 0x3f;

/// Bits 0 to 2: threadIdx.x, y, z; 3 to 5: blockIdx.x, y, z.
unsigned idOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  unsigned Shift = 0;
  if (Name.consume_front("kernix.block_idx."))
    Shift = 3;
  else if (!Name.consume_front("kernix.thread_idx."))
    return 0;
  return Name.size() == 1 && Name[0] >= 'x' && Name[0] <= 'z' ? 1U << (Shift + static_cast<unsigned>(Name[0] - 'x'))
                                                              : 0;
}

/// The ids that a value, or whether a block runs, depends on.
class Dependence {
public:
  Dependence(Function &F, MemoryObjects &Objects, PostDominatorTree &PostDominators)
      : Objects(Objects), Controls(F, PostDominators) {
    for (Instruction &I : instructions(F))
      if (MemoryAccess Access = accessOf(I); Access.Stored)
        if (const MemoryObject *O = Objects.only(Access.Pointer); O && O->Kind == MemoryObject::Local)
          Writers[O].push_back(&I);
  }

  unsigned of(const Instruction &Access) {
    begin(Access);
    follow(getPointerOperand(&Access));
    return Found;
  }

  /// Of a call that stores: where, is said by what is no number with a derivative.
  unsigned of(const CallBase &Call, const CustomRule &Rule) {
    begin(Call);
    forEachArgument(Rule, [&](const RuleArgument &A) {
      if (!A.hasDerivative())
        follow(Call.getArgOperand(A.Index));
    });
    return Found;
  }

private:
  void begin(const Instruction &Access) {
    Seen.clear();
    Found = 0;
    followBlock(Access.getParent());
  }

  void follow(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Seen.insert(I).second)
      return;
    if (const auto *Call = dyn_cast<CallBase>(I))
      Found |= idOf(*Call);
    for (const Use &Operand : I->operands())
      follow(Operand);
    if (const auto *Phi = dyn_cast<PHINode>(I))
      for (const BasicBlock *From : Phi->blocks())
        followBlock(From);
    if (const auto *Load = dyn_cast<LoadInst>(I))
      for (const MemoryObject *O : Objects.of(Load->getPointerOperand()))
        for (const Instruction *Writer : Writers[O]) {
          follow(accessOf(*Writer).Stored);
          follow(accessOf(*Writer).Pointer);
          followBlock(Writer->getParent());
        }
    // An atomic counter hands out each number once.
    if (isa<AtomicRMWInst>(I))
      Found = AllIds;
  }

  /// `threadIdx.x == 0` lets one thread through, `i < n` many.
  void followGuard(const Value *Condition) {
    const auto *I = dyn_cast<Instruction>(Condition);
    if (const auto *Compare = dyn_cast_or_null<ICmpInst>(I); Compare && Compare->isRelational())
      return;
    if (I && (I->isBitwiseLogicOp() || isa<SelectInst>(I))) {
      for (const Use &Operand : I->operands())
        followGuard(Operand);
      return;
    }
    follow(Condition);
  }

  void followBlock(const BasicBlock *Block) {
    if (!Seen.insert(Block).second)
      return;
    for (const BasicBlock *Control : Controls.of(Block)) {
      const Value *Condition = conditionOf(*Control);
      followGuard(Condition);
      if (const auto *I = dyn_cast<Instruction>(Condition))
        followBlock(I->getParent());
    }
  }

  MemoryObjects &Objects;
  ControlDependence Controls;
  DenseMap<const MemoryObject *, SmallVector<const Instruction *, 2>> Writers;
  SmallPtrSet<const Value *, 32> Seen;
  unsigned Found = 0;
};

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

} // namespace

void kernix::writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM,
                              Refusals &Refused) {
  MemoryObjects Objects(P, Request);
  Dependence Depends(*P.F, Objects, FAM.getResult<PostDominatorTreeAnalysis>(*P.F));
  ViewStores OfViews(Objects, *P.F, FAM);
  RepeatedStores(OfViews, *P.F, FAM).refuse(Refused);
  unsigned Ids = AllIds;
  bool UsesIds = any_of(instructions(*P.F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && idOf(*Call);
  });
  for (const Instruction &I : instructions(*P.F)) {
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && UsesIds && Request.Mode == DerivativeRequest::Reverse)
      for (const MemoryObject *O : Objects.of(Load->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active && is_contained({"unique", "once"}, O->TheLeaf->Diff) &&
            !Depends.of(I))
          Refused.error(I, "all threads read one element of '" + O->Name + "' here, which [[kernix::diff(" +
                               O->TheLeaf->Diff + ")]] says no two do; write [[kernix::diff]]");
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      for (const MemoryObject *O : Objects.of(Store->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active) {
          unsigned Own = Depends.of(*Store);
          if (!Own && UsesIds)
            Refused.error(I, "all threads store to one element of '" + O->Name +
                                 "'; guard the store so that one thread does it, or use atomicAdd");
          Ids &= Own;
        }
  }
  for (const ViewStore &Store : OfViews.all()) {
    unsigned Own = Depends.of(*Store.Call, *Store.Rule);
    if (!Own && UsesIds)
      Refused.error(*Store.Call, "all threads store to one element by '" + Store.Rule->Name +
                                     "'; guard the call so that one thread does it, or use an atomic addition");
    Ids &= Own;
  }
  setLaunchFact(Request, StoreIds, Ids);
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
