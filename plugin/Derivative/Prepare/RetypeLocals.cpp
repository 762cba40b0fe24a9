//===- RetypeLocals.cpp - local variables that are declared as other numbers than they hold ---------------------===//

#include "Derivative/Prepare/RetypeLocals.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

/// The type of all numbers that are read from Variable and written to it; null: there are several, or none, or it is
/// not known.
static Type *numbersIn(AllocaInst &Variable) {
  Type *Found = nullptr;
  SmallVector<Instruction *, 8> Pointers = {&Variable};
  while (!Pointers.empty()) {
    Instruction *Pointer = Pointers.pop_back_val();
    for (Use &U : Pointer->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(User)) {
        Pointers.push_back(User);
        continue;
      }
      if (isa<MemTransferInst>(User) || User->isLifetimeStartOrEnd())
        continue;
      if (getLoadStorePointerOperand(User) != Pointer || U.get() != getLoadStorePointerOperand(User) ||
          (isa<StoreInst>(User) && cast<StoreInst>(User)->getValueOperand() == Pointer))
        return nullptr;
      Type *T = getLoadStoreType(User)->getScalarType();
      if (T->isIntegerTy()) // a copy of up to eight bytes
        continue;
      if (!T->isFloatingPointTy() || (Found && Found != T))
        return nullptr;
      Found = T;
    }
  }
  return Found;
}

void kernix::retypeLocals(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<AllocaInst *, 8> Variables;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->isStaticAlloca())
      Variables.push_back(Variable);
  for (AllocaInst *Variable : Variables) {
    Type *Declared = homogeneousScalar(Variable->getAllocatedType(), DL);
    Type *Used = Declared ? numbersIn(*Variable) : nullptr;
    if (!Used || Used == Declared)
      continue;
    uint64_t Size = DL.getTypeAllocSize(Variable->getAllocatedType()), Each = DL.getTypeAllocSize(Used);
    if (Size % Each)
      continue;
    auto *New = new AllocaInst(ArrayType::get(Used, Size / Each), Variable->getAddressSpace(), nullptr,
                               Variable->getAlign(), "", Variable->getIterator());
    New->takeName(Variable);
    New->copyMetadata(*Variable);
    Variable->replaceAllUsesWith(New);
    Variable->eraseFromParent();
  }
}
