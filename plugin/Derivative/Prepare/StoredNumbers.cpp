//===- StoredNumbers.cpp - numbers stored through pointers that may lead to a constant variable ------------------===//

#include "Derivative/Prepare/StoredNumbers.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Prepare/HiddenVariables.h"
#include "Derivative/Prepare/SourceReads.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char Prefix[] = "kernix.stored.", Hidden[] = "no_diff";

/// What the bases of a pointer are.
struct Places {
  bool Marked = false; ///< variables that are constant, and where constant pointers lead
  bool Other = false;
  bool Unknown = false;
};

bool isHiding(const Value *V, StringRef Kind) {
  auto *Call = const_cast<CallInst *>(dyn_cast<CallInst>(V));
  return Call && hidingCall(*Call, Kind);
}

/// In a parameter that is passed by value there is nothing whose address only the function knows.
bool isOfParameter(const Value *Pointer) {
  const auto *Load = dyn_cast<LoadInst>(Pointer);
  const auto *A = Load ? dyn_cast<Argument>(getUnderlyingObject(Load->getPointerOperand(), 0)) : nullptr;
  return A && A->onlyReadsMemory();
}

Places placesOf(const Value *Pointer) {
  Places Found;
  SmallVector<const Value *, 4> Bases;
  getUnderlyingObjects(Pointer, Bases, nullptr, 0);
  SmallPtrSet<const Value *, 8> Seen(Bases.begin(), Bases.end());
  while (!Bases.empty()) {
    const Value *Base = Bases.pop_back_val();
    if (isHiding(Base, Hidden)) {
      Found.Marked = true;
    } else if (isHiding(Base, "")) {
      SmallVector<const Value *, 4> Behind;
      getUnderlyingObjects(cast<CallInst>(Base)->getArgOperand(0), Behind, nullptr, 0);
      copy_if(Behind, std::back_inserter(Bases), [&](const Value *V) { return Seen.insert(V).second; });
    } else if (isa<AllocaInst, Argument, GlobalVariable>(Base) || isOfParameter(Base)) {
      Found.Other = true;
    } else if (!isa<ConstantPointerNull, UndefValue>(Base)) {
      Found.Unknown = true;
    }
  }
  return Found;
}

bool hidesConstants(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return isHiding(&I, Hidden); });
}

bool holdsPointers(const Type &T) {
  return T.isPtrOrPtrVectorTy() || any_of(T.subtypes(), [](const Type *Part) { return holdsPointers(*Part); });
}

CallInst *guard(IRBuilder<> &B, Value *Stored, Value *Pointer) {
  std::string Name = Prefix;
  raw_string_ostream(Name) << *Stored->getType() << '.' << Pointer->getType()->getPointerAddressSpace();
  Type *Types[] = {Stored->getType(), Pointer->getType()};
  FunctionCallee Callee =
      B.GetInsertBlock()->getModule()->getOrInsertFunction(Name, FunctionType::get(Types[0], Types, false));
  auto *Declared = cast<Function>(Callee.getCallee());
  Declared->setDoesNotAccessMemory();
  Declared->setDoesNotThrow();
  Declared->addFnAttr(Attribute::WillReturn);
  return B.CreateCall(Callee, {Stored, Pointer});
}

/// A copy of so few bytes that LLVM makes a load and a store of it, between which nothing could be put.
StoreInst *asStore(MemTransferInst &Copy) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (!Length || !is_contained({1U, 2U, 4U, 8U}, Length->getZExtValue()))
    return nullptr;
  IRBuilder<> B(&Copy);
  Value *Bits = B.CreateAlignedLoad(B.getIntNTy(static_cast<unsigned>(8 * Length->getZExtValue())), Copy.getRawSource(),
                                    Copy.getSourceAlign(), Copy.isVolatile());
  StoreInst *Store = B.CreateAlignedStore(Bits, Copy.getRawDest(), Copy.getDestAlign(), Copy.isVolatile());
  Copy.eraseFromParent();
  return Store;
}

void settle(CallInst &Call, bool IsConstant) {
  Value *Stored = Call.getArgOperand(0);
  IRBuilder<> B(&Call);
  Call.replaceAllUsesWith(IsConstant && !isa<Constant>(Stored) ? makeConstant(B, Stored) : Stored);
  Call.eraseFromParent();
}

/// Nothing has been put in the place of a read.
bool isOnlyStored(const CallInst &Call) {
  return all_of(Call.uses(), [](const Use &U) { return isa<StoreInst>(U.getUser()) && U.getOperandNo() == 0; });
}

} // namespace

bool kernix::isStoredNumber(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with(Prefix);
}

bool kernix::keepsConstantPointers(Function &F) {
  for (Instruction &First : instructions(F)) {
    if (!isHiding(&First, Hidden))
      continue;
    SmallVector<Instruction *, 8> Work = {&First};
    SmallPtrSet<Instruction *, 8> Seen = {&First};
    while (!Work.empty())
      for (Use &U : Work.pop_back_val()->uses()) {
        auto *I = cast<Instruction>(U.getUser());
        const bool IsAccess = isa<LoadInst, ICmpInst, MemIntrinsic>(I) || isReadMark(*I) || isStoredNumber(*I) ||
                              (isa<StoreInst>(I) && U.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
                              (isa<AtomicRMWInst>(I) && U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex());
        if (IsAccess)
          continue;
        if (!isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(I) && !isHiding(I, ""))
          return true;
        if (Seen.insert(I).second)
          Work.push_back(I);
      }
  }
  return false;
}

void kernix::guardStoredNumbers(Function &F) {
  if (!hidesConstants(F))
    return;
  const bool AreKept = keepsConstantPointers(F);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Store && !Copy)
      continue;
    Places Found = placesOf(Store ? Store->getPointerOperand() : Copy->getRawDest());
    if (!(AreKept && Found.Unknown) && !(Found.Marked && (Found.Other || Found.Unknown)))
      continue;
    if (Copy)
      Store = asStore(*Copy);
    Value *Stored = Store ? Store->getValueOperand() : nullptr;
    if (!Stored || isa<Constant>(Stored) || holdsPointers(*Stored->getType()) ||
        (isa<Instruction>(Stored) && isStoredNumber(*cast<Instruction>(Stored))))
      continue;
    IRBuilder<> B(Store);
    Store->setOperand(0, guard(B, Stored, Store->getPointerOperand()));
  }
}

void kernix::settleStoredNumbers(Function &F) {
  std::optional<bool> AreKept;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isStoredNumber(I))
      continue;
    Places Found = placesOf(I.getOperand(PlaceOfStoredNumber));
    if (!AreKept)
      AreKept = keepsConstantPointers(F);
    if (Found.Marked ? !Found.Other && !Found.Unknown : !Found.Unknown || !*AreKept)
      settle(cast<CallInst>(I), Found.Marked);
  }
}

void kernix::settleStoredNumbers(Function &F, Refusals &Refused) {
  settleStoredNumbers(F);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isStoredNumber(I))
      continue;
    if (!isOnlyStored(cast<CallInst>(I)))
      Refused.error(I, "this may be stored where a variable is [[kernix::no_diff]], or elsewhere, and is read again; "
                       "store and read through the variable itself, or choose between the values");
    settle(cast<CallInst>(I), false);
  }
}
