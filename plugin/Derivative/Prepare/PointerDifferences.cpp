//===- PointerDifferences.cpp - ways from one variable to another -----------------------------------------------===//

#include "Derivative/Prepare/PointerDifferences.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Prepare/HiddenVariables.h"
#include "Derivative/Prepare/StoredNumbers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A variable, or a parameter and the place of a pointer in it; null: neither.
using Object = std::pair<const Value *, int64_t>;
using ObjectSet = SmallSet<Object, 4>;

Object objectOf(const Value *Base, const DerivativeRequest &Request, const DataLayout &DL) {
  if (isa<AllocaInst>(Base) || (isa<GlobalVariable>(Base) && !cast<GlobalVariable>(Base)->isConstant()))
    return {Base, 0};
  const auto *Load = dyn_cast<LoadInst>(Base);
  if (!Load)
    return {};
  APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const auto *A = dyn_cast<Argument>(Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
  if (!A || A->getArgNo() >= Request.Parameters.size())
    return {};
  const bool IsActive = any_of(Request.Parameters[A->getArgNo()].Leaves, [&](const Leaf &L) {
    return L.Kind == Leaf::Pointer && L.Active && L.Offset == Offset.getSExtValue();
  });
  return IsActive ? Object(A, Offset.getSExtValue()) : Object();
}

/// What Pointer is computed from by additions.
const Value *startOf(const Value *Pointer) {
  while (true) {
    Pointer = getUnderlyingObject(Pointer, 0);
    auto *Call = const_cast<CallInst *>(dyn_cast<CallInst>(Pointer));
    if (!Call || !hidingCall(*Call, ""))
      return Pointer;
    Pointer = Call->getArgOperand(0);
  }
}

/// All that Pointer may start from, whatever is chosen and however often a loop goes around; not further than to Last.
struct Starts {
  explicit Starts(const Value *Pointer, const Value *Last = nullptr) {
    SmallPtrSet<const Value *, 8> Seen;
    SmallVector<const Value *, 4> Open{Pointer};
    while (!Open.empty()) {
      const Value *Start = startOf(Open.pop_back_val());
      if (isa<UndefValue>(Start) || !Seen.insert(Start).second)
        continue;
      const auto *Select = dyn_cast<SelectInst>(Start);
      const auto *Phi = dyn_cast<PHINode>(Start);
      if (Start == Last || !(Select || Phi)) {
        All.push_back(Start);
      } else if (Select) {
        Open.append({Select->getTrueValue(), Select->getFalseValue()});
      } else {
        append_range(Open, Phi->incoming_values());
        Phis.push_back(Phi);
      }
    }
  }

  SmallVector<const Value *, 4> All;
  SmallVector<const PHINode *, 4> Phis; ///< on the ways there
};

/// Whether Pointer starts from what Last is at the moment, not what it was in an earlier round of a loop.
bool startsFrom(const Value *Pointer, const Value *Last, const DominatorTree &DT) {
  const Starts Found(Pointer, Last);
  const auto *Computed = dyn_cast<Instruction>(Last);
  return Found.All.size() == 1 && Found.All[0] == Last && (!Computed || all_of(Found.Phis, [&](const PHINode *Phi) {
           return DT.properlyDominates(Computed->getParent(), Phi->getParent());
         }));
}

/// Objects whose addresses are part of an index, other than by a difference within one of them.
class Addresses {
public:
  Addresses(const DerivativeRequest &Request, const DataLayout &DL, const DominatorTree &DT)
      : Request(Request), DL(DL), DT(DT) {}

  void collect(const Value *V) {
    while (const auto *Call = dyn_cast<CallBase>(V)) {
      if (!Call->getCalledFunction() || !(isConstantMark(*Call->getCalledFunction()) || isStoredNumber(*Call)))
        return;
      V = Call->getArgOperand(0);
    }
    const auto *Computed = dyn_cast<Operator>(V);
    if (!Computed || !Seen.insert(V).second)
      return;
    if (const auto *Load = dyn_cast<LoadInst>(V))
      return collectStored(*Load);
    if (isa<PtrToIntOperator>(V)) {
      if (Object O = objectOf(startOf(Computed->getOperand(0)), Request, DL); O.first)
        Found.insert(O);
      return;
    }
    if (Computed->getOpcode() == Instruction::Sub) {
      const auto *To = dyn_cast<PtrToIntOperator>(Computed->getOperand(0));
      const auto *From = dyn_cast<PtrToIntOperator>(Computed->getOperand(1));
      if (To && From)
        return collectDifference(To->getPointerOperand(), From->getPointerOperand());
    }
    for (const Use &Operand : Computed->operands())
      collect(Operand);
  }

  ObjectSet Found;

private:
  using Pairs = SmallSet<std::pair<const Value *, const Value *>, 4>;

  void collectDifference(const Value *To, const Value *From) {
    Pairs Assumed;
    if (areWithinOne(To, From, Assumed))
      return;
    for (const Value *Pointer : {To, From})
      for (const Value *Start : Starts(Pointer).All)
        if (Object O = objectOf(Start, Request, DL); O.first)
          Found.insert(O);
  }

  /// Whether both lead to the same variable or parameter, whatever is chosen.
  bool areWithinOne(const Value *To, const Value *From, Pairs &Assumed) const {
    To = startOf(To);
    From = startOf(From);
    if (To == From || !Assumed.insert({To, From}).second)
      return true;
    if (startsFrom(To, From, DT) || startsFrom(From, To, DT)) // a search in what was chosen before
      return true;
    const auto *Select = dyn_cast<SelectInst>(To), *OtherSelect = dyn_cast<SelectInst>(From);
    if (Select && OtherSelect && Select->getCondition() == OtherSelect->getCondition())
      return areWithinOne(Select->getTrueValue(), OtherSelect->getTrueValue(), Assumed) &&
             areWithinOne(Select->getFalseValue(), OtherSelect->getFalseValue(), Assumed);
    const auto *Phi = dyn_cast<PHINode>(To), *OtherPhi = dyn_cast<PHINode>(From);
    if (Phi && OtherPhi && Phi->getParent() == OtherPhi->getParent() && all_of(Phi->blocks(), [&](const BasicBlock *B) {
          return areWithinOne(Phi->getIncomingValueForBlock(B), OtherPhi->getIncomingValueForBlock(B), Assumed);
        }))
      return true;
    for (auto [Searched, Other] : {std::pair(Phi, From), std::pair(OtherPhi, To)})
      for (unsigned K = 0; Searched && K < Searched->getNumIncomingValues(); ++K)
        if (const Value *Start = startOf(Searched->getIncomingValue(K));
            Start != Searched && startsFrom(Searched, Start, DT))
          return areWithinOne(Start, Other, Assumed);
    std::optional<Object> One;
    for (const Value *Pointer : {To, From})
      for (const Value *Start : Starts(Pointer).All) {
        const Object O = objectOf(Start, Request, DL);
        if (!O.first || (One && *One != O))
          return false;
        One = O;
      }
    return One.has_value();
  }

  /// In a local variable, which may be [[kernix::no_diff]] or an array.
  void collectStored(const LoadInst &Load) {
    const auto *Variable = dyn_cast<AllocaInst>(startOf(Load.getPointerOperand()));
    if (!Variable)
      return;
    SmallVector<const Value *, 4> Open{Variable};
    while (!Open.empty())
      for (const User *U : Open.pop_back_val()->users()) {
        const auto *Store = dyn_cast<StoreInst>(U);
        auto *Call = const_cast<CallInst *>(dyn_cast<CallInst>(U));
        if (Store)
          collect(Store->getValueOperand());
        else if (isa<GEPOperator>(U) || (Call && hidingCall(*Call, "")))
          Open.push_back(U);
      }
  }

  const DerivativeRequest &Request;
  const DataLayout &DL;
  const DominatorTree &DT;
  SmallPtrSet<const Value *, 8> Seen;
};

} // namespace

void kernix::refusePointerDifferences(Function &F, Refusals &Refused) {
  if (Refused.request().FactsOfPrimal) // the function whose derivative it is was asked
    return;
  const DominatorTree DT(F);
  for (const Instruction &I : instructions(F)) {
    if (!I.mayReadOrWriteMemory())
      continue;
    for (const Use &Operand : I.operands()) {
      const Value *Pointer = Operand;
      Addresses All(Refused.request(), F.getDataLayout(), DT);
      for (; const auto *Gep = dyn_cast<GEPOperator>(Pointer); Pointer = Gep->getPointerOperand())
        for (const Use &Index : Gep->indices())
          All.collect(Index);
      if (All.Found.size() < 2)
        continue;
      Refused.error(I, "it is reached by the difference of pointers to different variables, and it is not known where "
                       "that leads; use an index into each of them");
      break;
    }
  }
}
