//===- LaunchFacts.cpp - what a launch of a derivative has to fulfil --------------------------------------------===//

#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Addresses/Steps.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ControlDependence.h"
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
  RepeatedStores(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
      : Objects(Objects), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)),
        Loops(FAM.getResult<LoopAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)) {}

  /// Remembers the call.
  bool mayRepeat(const CallBase &Call, const CustomRule &Rule) {
    std::optional<unsigned> View = viewOf(Call, Rule);
    bool Repeats = repeatsInLoop(Call);
    for (const auto &[Other, OtherView] : Stores)
      if (!Repeats && (!View || !OtherView || *View == *OtherView))
        Repeats = mayMeet(*Other, Call);
    Stores.push_back({&Call, View});
    return Repeats;
  }

private:
  /// The parameter of the kernel that the object is.
  std::optional<unsigned> viewOf(const CallBase &Call, const CustomRule &Rule) {
    std::optional<unsigned> Found;
    forEachArgument(Rule, [&](const RuleArgument &A) {
      const auto *Load = dyn_cast<LoadInst>(Call.getArgOperand(A.Index));
      if (Found || !A.Parameter->HoldsGradient || !Load || !Load->getType()->isPointerTy())
        return;
      if (const MemoryObject *O = Objects.only(Load->getPointerOperand()); O && O->Kind == MemoryObject::Parameter)
        Found = O->ParameterIndex;
    });
    return Found;
  }

  /// Each loop around the call has an index of its own that moves with it.
  bool repeatsInLoop(const CallBase &Call) {
    const Loop *Inner = Loops.getLoopFor(Call.getParent());
    for (const Loop *L = Inner; L; L = L->getParentLoop())
      if (none_of(Call.args(), [&](const Use &Argument) {
            if (!Argument->getType()->isIntegerTy())
              return false;
            std::optional<Steps> Moves = stepsIn(Evolution.getSCEV(Argument.get()), L, Evolution);
            return Moves && isNonZeroStep(Moves->Step, 1) &&
                   Evolution.isLoopInvariant(Moves->Start, Inner->getOutermostLoop());
          }))
        return true;
    return false;
  }

  /// Whether one comes after the other, and no index tells them apart.
  bool mayMeet(const CallBase &A, const CallBase &B) {
    if (!isPotentiallyReachable(&A, &B, nullptr, &Dominators, &Loops) &&
        !isPotentiallyReachable(&B, &A, nullptr, &Dominators, &Loops))
      return false;
    if (A.getCalledFunction() != B.getCalledFunction())
      return true;
    bool InLoop = Loops.getLoopFor(A.getParent()) || Loops.getLoopFor(B.getParent());
    for (unsigned K = 0; K < A.arg_size(); ++K) {
      if (!A.getArgOperand(K)->getType()->isIntegerTy())
        continue;
      if (InLoop && !(isa<ConstantInt>(A.getArgOperand(K)) && isa<ConstantInt>(B.getArgOperand(K))))
        continue;
      const SCEV *Left = Evolution.getSCEV(A.getArgOperand(K)), *Right = Evolution.getSCEV(B.getArgOperand(K));
      const auto *Distance = dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(Left, Right));
      if (Distance && !Distance->getValue()->isZero())
        return false;
    }
    return true;
  }

  MemoryObjects &Objects;
  DominatorTree &Dominators;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
  SmallVector<std::pair<const CallBase *, std::optional<unsigned>>, 4> Stores;
};

} // namespace

void kernix::writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM,
                              Refusals &Refused) {
  MemoryObjects Objects(P, Request);
  Dependence Depends(*P.F, Objects, FAM.getResult<PostDominatorTreeAnalysis>(*P.F));
  RepeatedStores Repeated(P, Objects, FAM);
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
    // A view that knows its gradients stores by a function of its own.
    const CustomRule *Rule = ruleOf(&I, Objects.rules());
    if (!Rule || !Rule->holdsGradient() || !Rule->StoresMemory)
      continue;
    if (Repeated.mayRepeat(cast<CallBase>(I), *Rule))
      Refused.error(I, "'" + Rule->Name +
                           "' may store to one element twice, and a value that is overwritten would have "
                           "a gradient too; keep it in a local variable, and store that once");
    unsigned Own = Depends.of(cast<CallBase>(I), *Rule);
    if (!Own && UsesIds)
      Refused.error(I, "all threads store to one element by '" + Rule->Name +
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
