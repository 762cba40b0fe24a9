//===- PassedStructs.cpp - structs that are passed in registers -------------------------------------------------===//

#include "Derivative/Prepare/PassedStructs.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Whether the bytes of a local variable that are stored to are declared as something else than one integer.
bool areMembers(const StoreInst &Store) {
  const DataLayout &DL = Store.getDataLayout();
  Type *T = Store.getValueOperand()->getType();
  const auto *Variable = dyn_cast<AllocaInst>(getUnderlyingObject(Store.getPointerOperand(), 0));
  SmallVector<LocalPlace, 4> Places;
  if (!Variable || !Variable->getAllocatedType()->isAggregateType() ||
      !placesInLocal(Store.getPointerOperand(), *Variable, Places) || Places.size() != 1)
    return false;
  SmallVector<std::pair<Type *, uint64_t>, 16> Scalars;
  const uint64_t Begin = Places[0].Offset;
  return !scalarsIn(Places[0].T, Begin, Begin + DL.getTypeStoreSize(T), DL, Scalars) || Scalars.size() != 1 ||
         Scalars[0].first != T;
}

/// Whether what Load has read is still there at Store.
bool isUnchanged(const LoadInst &Load, const StoreInst &Store) {
  const Value *From = getUnderlyingObject(Load.getPointerOperand(), 0);
  if (const auto *A = dyn_cast<Argument>(From))
    return A->onlyReadsMemory() && A->hasNoAliasAttr();
  if (!isa<AllocaInst>(From) || Load.getParent() != Store.getParent())
    return false;
  return all_of(make_range(Load.getIterator(), Store.getIterator()), [&](const Instruction &I) {
    if (!I.mayWriteToMemory() || I.isLifetimeStartOrEnd())
      return true;
    const auto *Other = dyn_cast<StoreInst>(&I);
    const Value *To = Other ? getUnderlyingObject(Other->getPointerOperand(), 0) : nullptr;
    return To && isa<AllocaInst>(To) && To != From;
  });
}

} // namespace

void kernix::copyPassedStructs(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
    if (!Load || !Store->isSimple() || !Load->isSimple() || !Load->getType()->isIntegerTy() || !areMembers(*Store) ||
        !isUnchanged(*Load, *Store))
      continue;
    IRBuilder<> B(Store);
    B.CreateMemCpy(Store->getPointerOperand(), Store->getAlign(), Load->getPointerOperand(), Load->getAlign(),
                   F.getDataLayout().getTypeStoreSize(Load->getType()));
    Store->eraseFromParent();
    if (Load->use_empty())
      Load->eraseFromParent();
  }
}
