//===- TakeTurns.cpp - additions to the gradients of shared elements, turn by turn ------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::planTurns() {
  for (const auto &[Where, Plan] : Turns.plans())
    for (const auto &Turn : Plan.Turns)
      for (const SharedTurns::Item &Item : Turn) {
        Type *T = Item.Load->getType();
        VariableOfTurn[Item.Load] = newVariable(T, "turn", ConstantFP::getNegativeZero(T));
      }
}

void ReverseWriter::takeTurns(const BasicBlock &Block, const Instruction *Before) {
  auto Found = Turns.plans().find({&Block, Before});
  if (Found == Turns.plans().end())
    return;
  const SharedTurns &Plan = Found->second;
  auto ForEach = [&](ArrayRef<SharedTurns::Item> Items, function_ref<void(Value * Place, Value * Added)> Add) {
    for (const SharedTurns::Item &Item : Items) {
      AllocaInst *Variable = VariableOfTurn.lookup(Item.Load);
      Type *T = Variable->getAllocatedType();
      Value *Added = B.CreateLoad(T, Variable);
      B.CreateStore(ConstantFP::getNegativeZero(T), Variable);
      BasicBlock *Next = nullptr;
      if (!Item.IsSure) {
        // A thread that has not come to the load has no address.
        BasicBlock *Some = newBlock("turn.some");
        Next = newBlock("turn.next");
        B.CreateCondBr(B.CreateFCmpUNE(Added, Constant::getNullValue(T)), Some, Next);
        B.SetInsertPoint(Some);
      }
      Add(Addresses.of(const_cast<Value *>(Item.Load->getPointerOperand())), Added);
      if (Next) {
        B.CreateBr(Next);
        B.SetInsertPoint(Next);
      }
    }
  };
  auto Wait = [&] {
    B.CreateCall(declareCollective(*Body.getParent(), "kernix.barrier", FunctionType::get(B.getVoidTy(), false), {}));
  };
  Value *Holds = TurnTests.hold(Plan.Assumed);
  Usual.assumeTrue(Holds);
  BasicBlock *InTurns = newBlock("turns"), *Atomically = newBlock("turns.atomic"), *Done = newBlock("turns.done");
  B.CreateCondBr(Holds, InTurns, Atomically);
  B.SetInsertPoint(Atomically);
  for (const auto &Turn : Plan.Turns)
    ForEach(Turn, [&](Value *Place, Value *Added) { addToShared(B, Place, Added); });
  B.CreateBr(Done);
  B.SetInsertPoint(InTurns);
  for (const auto &Turn : Plan.Turns) {
    Wait();
    ForEach(Turn, [&](Value *Place, Value *Added) {
      Align Alignment(DL.getTypeStoreSize(Added->getType()));
      Value *Old = B.CreateAlignedLoad(Added->getType(), Place, Alignment);
      B.CreateAlignedStore(B.CreateFAdd(Old, Added), Place, Alignment);
    });
  }
  Wait();
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}
