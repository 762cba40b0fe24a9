//===- TakeTurns.cpp - additions to the gradients of shared elements, turn by turn ------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::planTurns() {
  for (const auto &[Where, Plan] : Turns.plans())
    for (const SharedTurns::Turn &Turn : Plan.Turns)
      for (const SharedTurns::Item &Item : Turn.Items) {
        Type *T = typeInShadow(*Item.Load);
        VariableOfTurn[Item.Load] = newVariable(T, "turn", ConstantFP::getNegativeZero(T));
        if (Item.Product)
          LoadOfProduct[Item.Product] = Item.Load;
        const BasicBlock *Block = Item.Load->getParent();
        AllocaInst *&Came = CameTo[{&Plan, Block}];
        if (Item.IsSure || Came)
          continue;
        Came = newVariable(B.getInt1Ty(), "came", B.getFalse());
        MarksOf[Block].push_back(Came);
      }
}

/// To what each of them reads, at places that differ: all loads, then all stores.
void ReverseWriter::addInTurn(ArrayRef<SharedTurns::Item> Items, bool Atomically) {
  IRBuilder<>::FastMathFlagGuard Guard(B);
  SmallDenseMap<Value *, Value *> Factors;
  SmallVector<std::pair<Value *, Value *>, 8> Sums;
  for (const SharedTurns::Item &Item : Items) {
    AllocaInst *Variable = VariableOfTurn.lookup(Item.Load);
    Type *T = Variable->getAllocatedType();
    Value *Added = B.CreateLoad(T, Variable);
    FastMathFlags Flags;
    if (Item.Product) {
      Flags.setAllowContract(Item.Product->hasAllowContract());
      B.setFastMathFlags(Flags);
      auto *Factor = const_cast<Value *>(Item.Factor);
      if (const auto *Load = dyn_cast<LoadInst>(Factor)) {
        Value *&Known = Factors[const_cast<Value *>(Load->getPointerOperand())];
        Factor = Known = Known ? Known : copyWith(B, *Load, valueOf(const_cast<Value *>(Load->getPointerOperand())));
      }
      Added = B.CreateFMul(Added, Factor->getType() == T ? Factor : B.CreateFPExt(Factor, T));
    }
    Value *Place = Addresses.of(const_cast<Value *>(Item.Load->getPointerOperand()));
    if (Atomically) {
      addToShared(B, Place, Added);
      continue;
    }
    B.setFastMathFlags(Flags);
    Value *Old = B.CreateAlignedLoad(T, Place, Align(DL.getTypeStoreSize(T)));
    Sums.push_back({Place, B.CreateFAdd(Old, Added)});
  }
  for (auto [Place, Sum] : Sums)
    B.CreateAlignedStore(Sum, Place, Align(DL.getTypeStoreSize(Sum->getType())));
}

/// What this thread gives in one turn. A thread that has not come to a load has no address.
void ReverseWriter::takeTurn(const SharedTurns &Plan, const SharedTurns::Turn &Turn, bool Atomically) {
  MapVector<AllocaInst *, SmallVector<SharedTurns::Item, 4>> Groups;
  for (const SharedTurns::Item &Item : Turn.Items)
    Groups[CameTo.lookup({&Plan, Item.Load->getParent()})].push_back(Item);
  BasicBlock *Done = newBlock("turn.done");
  if (Groups.size() > 1 && !Atomically) {
    // Most threads have come to all.
    Value *CameToAll = B.getTrue();
    for (auto &[Came, Items] : Groups)
      if (Came)
        CameToAll = B.CreateAnd(CameToAll, B.CreateLoad(B.getInt1Ty(), Came));
    BasicBlock *All = newBlock("turn.all"), *Some = newBlock("turn.some");
    B.CreateCondBr(CameToAll, All, Some);
    B.SetInsertPoint(All);
    addInTurn(Turn.Items, Atomically);
    B.CreateBr(Done);
    B.SetInsertPoint(Some);
  }
  for (auto &[Came, Items] : Groups) {
    BasicBlock *Next = Came ? newBlock("turn.next") : nullptr;
    if (Came) {
      BasicBlock *Add = newBlock("turn.add");
      B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), Came), Add, Next);
      B.SetInsertPoint(Add);
    }
    addInTurn(Items, Atomically);
    if (Next) {
      B.CreateBr(Next);
      B.SetInsertPoint(Next);
    }
  }
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

void ReverseWriter::takeTurns(const BasicBlock &Block, const Instruction *Before) {
  auto Found = Turns.plans().find({&Block, Before});
  if (Found == Turns.plans().end())
    return;
  const SharedTurns &Plan = Found->second;
  Module &M = *Body.getParent();
  auto Wait = [&](bool ForWarp) {
    if (ForWarp)
      B.CreateCall(declareCollective(M, "kernix.syncwarp", FunctionType::get(B.getVoidTy(), B.getInt32Ty(), false), {}),
                   B.getInt32(~0U));
    else
      createBarrier(B);
  };
  Value *Holds = TurnTests.hold(Plan.Assumed);
  Usual.assumeTrue(Holds);
  BasicBlock *InTurns = newBlock("turns"), *Atomically = newBlock("turns.atomic"), *Done = newBlock("turns.done");
  B.CreateCondBr(Holds, InTurns, Atomically);
  B.SetInsertPoint(Atomically);
  for (const SharedTurns::Turn &Turn : Plan.Turns)
    takeTurn(Plan, Turn, /*Atomically=*/true);
  B.CreateBr(Done);
  B.SetInsertPoint(InTurns);
  for (const SharedTurns::Turn &Turn : Plan.Turns) {
    if (Turn.IsForNobody)
      continue;
    Wait(Turn.IsForWarps);
    takeTurn(Plan, Turn, /*Atomically=*/false);
  }
  Wait(/*ForWarp=*/false);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  for (const SharedTurns::Turn &Turn : Plan.Turns)
    for (const SharedTurns::Item &Item : Turn.Items) {
      AllocaInst *Variable = VariableOfTurn.lookup(Item.Load);
      B.CreateStore(ConstantFP::getNegativeZero(Variable->getAllocatedType()), Variable);
      if (AllocaInst *Came = CameTo.lookup({&Plan, Item.Load->getParent()}))
        B.CreateStore(B.getFalse(), Came);
    }
}
