//===- SplitMembers.cpp - members of structs that are accessed together -----------------------------------------===//

#include "Derivative/Prepare/SplitMembers.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "Derivative/Shared/SharedPools.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Members, with their places in what is accessed.
using Members = SmallVector<std::pair<Type *, uint64_t>, 8>;

bool membersInLocal(const Value &Pointer, const AllocaInst &Variable, uint64_t Bytes, Members &Found) {
  SmallVector<LocalPlace, 4> Places;
  if (!placesInLocal(&Pointer, Variable, Places) ||
      any_of(Places, [&](const LocalPlace &P) { return P.T != Places[0].T || P.Offset != Places[0].Offset; }))
    return false;
  const DataLayout &DL = Variable.getDataLayout();
  const uint64_t Begin = Places[0].Offset;
  if (Begin + Bytes > DL.getTypeAllocSize(Places[0].T) || !scalarsIn(Places[0].T, Begin, Begin + Bytes, DL, Found))
    return false;
  addGaps(Bytes, Variable.getContext(), DL, Found);
  return true;
}

/// Whether an integer behind Pointer is made of several members, of which some are numbers and others are not.
bool areMixed(MemoryObjects &Objects, const Value &Pointer, const Type &T, const DataLayout &DL, Members &Found) {
  const uint64_t Bytes = DL.getTypeStoreSize(const_cast<Type *>(&T));
  if (!T.isIntegerTy() || T.getIntegerBitWidth() != 8 * Bytes)
    return false;
  const MemoryObject *O = Objects.only(&Pointer);
  const auto *Variable = O && !O->Scalar ? dyn_cast<AllocaInst>(O->Base) : nullptr;
  const bool IsKnown = Variable ? membersInLocal(Pointer, *Variable, Bytes, Found)
                                : O && !O->Scalar && O->Kind == MemoryObject::Shared &&
                                      membersInShared(Pointer, *cast<GlobalVariable>(O->Base), Bytes, Found);
  auto IsNumber = [](const auto &Member) { return Member.first->isFloatingPointTy(); };
  return IsKnown && any_of(Found, IsNumber) && !all_of(Found, IsNumber) && all_of(Found, [&](const auto &Member) {
           return IsNumber(Member) || (Member.first->isIntegerTy() && Member.first->getIntegerBitWidth() % 8 == 0);
         });
}

Value *at(IRBuilder<> &B, Value *Pointer, uint64_t Offset) {
  return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Pointer, Offset) : Pointer;
}

IntegerType *bitsOf(IRBuilder<> &B, Type *T) {
  return B.getIntNTy(static_cast<unsigned>(T->getPrimitiveSizeInBits().getFixedValue()));
}

void split(LoadInst &Load, ArrayRef<std::pair<Type *, uint64_t>> Parts) {
  IRBuilder<> B(&Load);
  Value *Whole = ConstantInt::get(Load.getType(), 0);
  for (auto [T, Offset] : Parts) {
    Value *Part =
        B.CreateAlignedLoad(T, at(B, Load.getPointerOperand(), Offset), commonAlignment(Load.getAlign(), Offset));
    Value *Bits = B.CreateZExt(B.CreateBitCast(Part, bitsOf(B, T)), Load.getType());
    Whole = B.CreateOr(Whole, B.CreateShl(Bits, 8 * Offset));
  }
  Load.replaceAllUsesWith(Whole);
  Load.eraseFromParent();
}

void split(StoreInst &Store, ArrayRef<std::pair<Type *, uint64_t>> Parts) {
  IRBuilder<> B(&Store);
  for (auto [T, Offset] : Parts) {
    Value *Bits = B.CreateTrunc(B.CreateLShr(Store.getValueOperand(), 8 * Offset), bitsOf(B, T));
    B.CreateAlignedStore(B.CreateBitCast(Bits, T), at(B, Store.getPointerOperand(), Offset),
                         commonAlignment(Store.getAlign(), Offset));
  }
  Store.eraseFromParent();
}

} // namespace

void kernix::splitMembers(Function &F, MemoryObjects &Objects) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    Members Found;
    if (!Pointer || I.isAtomic() || I.isVolatile() || !areMixed(Objects, *Pointer, *getLoadStoreType(&I), DL, Found))
      continue;
    if (auto *Load = dyn_cast<LoadInst>(&I))
      split(*Load, Found);
    else
      split(cast<StoreInst>(I), Found);
  }
}
