//===- FunctionTables.cpp - functions that are called by their place in a constant table ------------------------===//

#include "Derivative/Prepare/FunctionTables.h"
#include "Derivative/Prepare/PointerChoices.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Of the functions in a constant: at which bytes they lie.
using Places = MapVector<Function *, SmallVector<uint64_t, 2>>;

void findFunctions(Constant &C, uint64_t At, const DataLayout &DL, Places &Found) {
  if (auto *F = dyn_cast<Function>(C.stripPointerCastsAndAliases())) {
    Found[F].push_back(At);
    return;
  }
  if (!isa<ConstantAggregate>(C))
    return;
  auto *Struct = dyn_cast<StructType>(C.getType());
  for (unsigned K = 0; K < C.getNumOperands(); ++K) {
    Constant &Part = *cast<Constant>(C.getOperand(K));
    findFunctions(Part,
                  At + (Struct ? DL.getStructLayout(Struct)->getElementOffset(K).getFixedValue()
                               : K * DL.getTypeAllocSize(Part.getType()).getFixedValue()),
                  DL, Found);
  }
}

/// Whether Load has what is called, by its place in a table.
bool isCalled(const LoadInst &Load) {
  return Load.isSimple() && Load.getType()->isPointerTy() && any_of(Load.users(), [&](const User *U) {
           const auto *Call = dyn_cast<CallBase>(U);
           return Call && Call->getCalledOperand() == &Load;
         });
}

/// The bytes from the table to what is read; null: that is not understood.
Value *bytesTo(const LoadInst &Load, const GlobalVariable &Table, IRBuilder<> &B) {
  Value *Bytes = nullptr;
  Value *Pointer = const_cast<Value *>(Load.getPointerOperand());
  while (Pointer != &Table) {
    if (auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
      Value *Step = emitGEPOffset(&B, Load.getDataLayout(), Gep);
      Bytes = Bytes ? B.CreateAdd(Bytes, B.CreateSExtOrTrunc(Step, Bytes->getType())) : Step;
      Pointer = Gep->getPointerOperand();
    } else if (auto *Cast = dyn_cast<Operator>(Pointer); Cast && Cast->getOpcode() == Instruction::AddrSpaceCast) {
      Pointer = Cast->getOperand(0);
    } else {
      return nullptr;
    }
  }
  return Bytes;
}

} // namespace

bool kernix::chooseFromTables(Function &F) {
  SmallVector<LoadInst *, 4> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && isCalled(*Load))
      Loads.push_back(Load);
  bool Changed = false;
  for (LoadInst *Load : Loads) {
    auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand(), 0));
    if (!Table || !Table->isConstant() || !Table->hasDefinitiveInitializer())
      continue;
    Places Found;
    findFunctions(*Table->getInitializer(), 0, F.getDataLayout(), Found);
    if (Found.empty() || Found.size() > MostPlaces)
      continue;
    IRBuilder<> B(Load);
    Value *Bytes = bytesTo(*Load, *Table, B);
    if (!Bytes)
      continue;
    // What is nowhere in the table is not called; that is no answer to who asks whether there is a function.
    Value *Chosen = Found.back().first;
    for (auto &[Callee, At] : drop_begin(reverse(Found)))
      for (uint64_t Place : At)
        Chosen = B.CreateSelect(B.CreateICmpEQ(Bytes, ConstantInt::get(Bytes->getType(), Place)), Callee, Chosen);
    Load->replaceUsesWithIf(Chosen, [](const Use &U) {
      const auto *Call = dyn_cast<CallBase>(U.getUser());
      return Call && Call->isCallee(&U);
    });
    if (Load->use_empty())
      Load->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
