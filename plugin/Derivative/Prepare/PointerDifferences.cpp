//===- PointerDifferences.cpp - ways from one variable to another -----------------------------------------------===//

#include "Derivative/Prepare/PointerDifferences.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Prepare/HiddenVariables.h"
#include "Derivative/Prepare/StoredNumbers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A variable, or a parameter and the place of a pointer in it; null: neither.
using Object = std::pair<const Value *, int64_t>;
using ObjectSet = SmallSet<Object, 4>;

Object objectBehind(const Value *Pointer, const DerivativeRequest &Request, const DataLayout &DL) {
  const Value *Base = getUnderlyingObject(Pointer, 0);
  while (auto *Call = const_cast<CallInst *>(dyn_cast<CallInst>(Base))) {
    if (!hidingCall(*Call, ""))
      return {};
    Base = getUnderlyingObject(Call->getArgOperand(0), 0);
  }
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

/// Objects whose addresses are part of an index, other than by a difference within one of them.
class Addresses {
public:
  Addresses(const DerivativeRequest &Request, const DataLayout &DL) : Request(Request), DL(DL) {}

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
      if (Object O = objectBehind(Computed->getOperand(0), Request, DL); O.first)
        Found.insert(O);
      return;
    }
    if (Computed->getOpcode() == Instruction::Sub) {
      const auto *To = dyn_cast<PtrToIntOperator>(Computed->getOperand(0));
      const auto *From = dyn_cast<PtrToIntOperator>(Computed->getOperand(1));
      const Object O = To && From ? objectBehind(To->getPointerOperand(), Request, DL) : Object();
      if (O.first && O == objectBehind(From->getPointerOperand(), Request, DL))
        return;
    }
    for (const Use &Operand : Computed->operands())
      collect(Operand);
  }

  ObjectSet Found;

private:
  /// In a variable that is [[kernix::no_diff]], which is in memory still.
  void collectStored(const LoadInst &Load) {
    auto *Hidden = const_cast<CallInst *>(dyn_cast<CallInst>(Load.getPointerOperand()));
    if (!Hidden || !hidingCall(*Hidden, ""))
      return;
    for (const User *U : Hidden->users())
      if (const auto *Store = dyn_cast<StoreInst>(U))
        collect(Store->getValueOperand());
  }

  const DerivativeRequest &Request;
  const DataLayout &DL;
  SmallPtrSet<const Value *, 8> Seen;
};

} // namespace

void kernix::refusePointerDifferences(Function &F, Refusals &Refused) {
  if (Refused.request().FactsOfPrimal) // the function whose derivative it is was asked
    return;
  for (const Instruction &I : instructions(F)) {
    if (!I.mayReadOrWriteMemory())
      continue;
    for (const Use &Operand : I.operands()) {
      const Value *Pointer = Operand;
      Addresses All(Refused.request(), F.getDataLayout());
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
