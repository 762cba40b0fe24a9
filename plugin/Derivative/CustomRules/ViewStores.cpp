//===- ViewStores.cpp - stores to views that carry their gradients ------------------------------------------------===//

#include "Derivative/CustomRules/ViewStores.h"
#include "Derivative/CustomRules/ConstantViews.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

ViewStores::ViewStores(MemoryObjects &Objects, Function &F, FunctionAnalysisManager &FAM)
    : Objects(Objects), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(F)) {
  if (!Objects.rules())
    return;
  Places.emplace(*Objects.rules(), FAM);
  for (Instruction &I : instructions(F))
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules());
        Rule && Rule->holdsGradient() && Rule->StoresMemory && !isOnConstantView(cast<CallBase>(I)))
      All.push_back({cast<CallBase>(&I), Rule});
}

/// The one that the pointers of the object come from, however they are moved.
const RequestParameter *ViewStores::viewOf(const ViewStore &Store) {
  const RequestParameter *View = nullptr;
  bool IsKnown = true;
  forEachArgument(*Store.Rule, [&](const RuleArgument &A) {
    if (!A.Parameter->HoldsGradient || !A.Leaf->Type->isPointerTy())
      return;
    const MemoryObject *O = Objects.only(Store.Call->getArgOperand(A.Index));
    const RequestParameter *Own = O ? Objects.viewOf(*O) : nullptr;
    IsKnown &= Own && (!View || View == Own);
    View = Own;
  });
  return IsKnown ? View : nullptr;
}

bool ViewStores::areOfDifferentViews(const ViewStore &A, const ViewStore &B) {
  const RequestParameter *View = viewOf(A), *Other = viewOf(B);
  return View && Other && View != Other;
}

bool ViewStores::isSame(const Value *A, const Value *B) {
  if (A == B)
    return true;
  const auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
  if (!First || !Second || First->getType() != Second->getType())
    return false;
  const MemoryObject *O = Objects.only(First->getPointerOperand());
  return O && O->Kind == MemoryObject::Parameter &&
         Evolution.getSCEV(const_cast<Value *>(First->getPointerOperand())) ==
             Evolution.getSCEV(const_cast<Value *>(Second->getPointerOperand()));
}

/// Which arguments are constants, and the same ones in both calls.
static StoredPlaces::Constants commonConstants(const CallBase &A, const CallBase &B) {
  StoredPlaces::Constants Result;
  for (unsigned K = 0; K < A.arg_size(); ++K)
    if (const auto *Constant = dyn_cast<ConstantInt>(A.getArgOperand(K));
        Constant && Constant == B.getArgOperand(K) && Constant->getBitWidth() <= 64)
      Result[K] = Constant->getSExtValue();
  return Result;
}

const StoredPlace *ViewStores::commonPlace(const ViewStore &A, const ViewStore &B) {
  if (A.Rule != B.Rule)
    return nullptr;
  const StoredPlace *Place = Places->find(*A.Rule, commonConstants(*A.Call, *B.Call));
  auto Agree = [&](unsigned K) { return isSame(A.Call->getArgOperand(K), B.Call->getArgOperand(K)); };
  return Place && Agree(Place->Base) && all_of(Place->Strides, Agree) ? Place : nullptr;
}

bool ViewStores::isOfParameter(const ViewStore &Store, const StoredPlace &Place) {
  const Value *Base = Store.Call->getArgOperand(Place.Base);
  const MemoryObject *Elements = isa<LoadInst>(Base) ? Objects.only(Base) : nullptr;
  return Elements && Objects.viewOf(*Elements) && all_of(Place.Strides, [&](unsigned K) {
           const Value *Stride = Store.Call->getArgOperand(K);
           const auto *Load = dyn_cast<LoadInst>(Stride);
           const MemoryObject *O = Load ? Objects.only(Load->getPointerOperand()) : nullptr;
           return isa<Constant>(Stride) || (O && O->Kind == MemoryObject::Parameter);
         });
}
