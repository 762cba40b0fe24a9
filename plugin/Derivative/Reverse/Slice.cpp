//===- Slice.cpp - forward copies of a region -------------------------------------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "Derivative/Shared/SharedLoops.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace kernix;

/// R: the region of the copy.
bool ReverseWriter::isComputedAgain(const Region &R, const Instruction &I) {
  if (Contents.isSpecial(I))
    return Contents.runs(R.L, I);
  return (R.L ? *R.Plan->Inside : Needed).contains(&I);
}

Value *ReverseWriter::argument(const Argument &A) { return Arguments.primal(A); }

Value *ReverseWriter::copied(Slice &S, Value *V) {
  if (auto *A = dyn_cast<Argument>(V))
    return argument(*A);
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return V; // constants
  if (auto *Variable = dyn_cast<AllocaInst>(I)) {
    AllocaInst *&Copy = LocalCopies[Variable];
    if (!Copy) {
      Copy = newVariable(Variable->getAllocatedType(), "");
      Copy->setAlignment(Variable->getAlign());
    }
    return Copy;
  }
  if (auto Found = S.Map.find(I); Found != S.Map.end())
    return Found->second;
  if (S.First.contains(I->getParent()))
    return PoisonValue::get(V->getType()); // nothing reads it
  return valueOf(V);
}

Value *ReverseWriter::valueOf(Value *V) {
  if (Value *ForLanes = valueForLanes(V))
    return ForLanes;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return isa<Argument>(V) ? argument(*cast<Argument>(V)) : V;
  if (isReadAgain(*I)) {
    SmallVector<Value *, 2> Operands;
    for (Use &Operand : I->operands())
      Operands.push_back(valueOf(Operand));
    return copyWith(B, *I, Operands);
  }
  Slice &S = *regionOf(I->getParent()).Current;
  return isa<AllocaInst>(I) ? copied(S, V) : readFrom(S, V);
}

Value *ReverseWriter::readFrom(Slice &S, Value *V) {
  AllocaInst *Slot = S.Slots.lookup(V);
  if (!Slot) {
    auto *Computed = dyn_cast_or_null<Instruction>(S.Map.lookup(V));
    if (!Computed) {
      Refused.error(*cast<Instruction>(V),
                    "internal error: the backward reads this value, but it was not planned to be computed again");
      return PoisonValue::get(V->getType());
    }
    Slot = S.Slots[V] = newVariable(V->getType(), "");
    IRBuilder<> After(Context);
    if (isa<PHINode>(Computed))
      After.SetInsertPoint(Computed->getParent(), Computed->getParent()->getFirstInsertionPt());
    else
      After.SetInsertPoint(Computed->getParent(), std::next(Computed->getIterator()));
    After.CreateStore(Computed, Slot);
  }
  return B.CreateLoad(V->getType(), Slot);
}

Value *ReverseWriter::pathOf(const BasicBlock &Block) {
  Slice &S = *regionOf(&Block).Current;
  AllocaInst *&Slot = S.PathSlots[&Block];
  if (!Slot) {
    PHINode *Path = S.Paths.lookup(&Block);
    if (!Path) {
      Refused.error(Block.front(), "internal error: the way to this block was not recorded");
      return B.getInt32(0);
    }
    Slot = newVariable(Path->getType(), "path");
    IRBuilder<>(Path->getParent(), Path->getParent()->getFirstInsertionPt()).CreateStore(Path, Slot);
  }
  return B.CreateLoad(B.getInt32Ty(), Slot);
}

/// Values of an earlier iteration must not live on where this one does not compute them.
void ReverseWriter::forgetValues(Slice &S) {
  IRBuilder<> At(S.Begin->getTerminator());
  for (auto &[V, Slot] : S.Slots)
    At.CreateStore(PoisonValue::get(Slot->getAllocatedType()), Slot);
}

Slice &ReverseWriter::copyForward(Region &R, SliceKind Kind, Value *Leave) {
  Slices.push_back(std::make_unique<Slice>());
  Slice &S = *Slices.back();
  S.R = &R;
  if (Kind != NextIteration)
    R.Current = &S;
  SmallVector<BasicBlock *, 16> Order;
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(P.F))
    if (!R.L || R.L->contains(Block)) {
      Order.push_back(Block);
      S.First[Block] = newBlock("forward");
    }
  S.End = newBlock("forward.end");
  if (R.L)
    S.Ended = PHINode::Create(B.getInt32Ty(), 4, "ended", S.End);
  // In each iteration the elements are others.
  if (Kind != NextIteration && R.L)
    for (const StoreGroup &Group : Stores.groups())
      if (Group.Overwrites && Group.VariesIn == R.L)
        B.CreateStore(B.getFalse(), lastStoreSeen(Group));
  S.Begin = B.GetInsertBlock();
  B.CreateBr(S.First[Order.front()]);
  for (BasicBlock *Block : Order)
    copyBlock(S, Kind, *Block, Leave);
  // Phis last, when all their operands exist; edges as they came out.
  DenseMap<const BasicBlock *, BasicBlock *> OriginalOf;
  for (auto &[Old, New] : S.Last)
    OriginalOf[New] = const_cast<BasicBlock *>(Old);
  for (BasicBlock *Block : Order) {
    if (Block == R.header())
      continue;
    BasicBlock *New = S.First[Block];
    SmallVector<BasicBlock *, 4> Before(predecessors(New));
    SmallVector<BasicBlock *, 4> Unique;
    for (BasicBlock *Old : predecessors(Block))
      if (!is_contained(Unique, Old))
        Unique.push_back(Old);
    for (PHINode &Phi : Block->phis()) {
      auto *Copy = dyn_cast_or_null<PHINode>(S.Map.lookup(&Phi));
      if (!Copy)
        continue;
      // A switch may lead here by several edges, which all bring the same value.
      SmallDenseMap<BasicBlock *, Value *, 4> Brought;
      for (BasicBlock *From : Before) {
        Value *&Known = Brought[From];
        if (!Known) {
          // Values of outer regions are loaded where the edge starts.
          B.SetInsertPoint(From->getTerminator());
          Known = copied(S, Phi.getIncomingValueForBlock(OriginalOf.lookup(From)));
        }
        Copy->addIncoming(Known, From);
      }
    }
    if (auto Path = S.Paths.find(Block); Path != S.Paths.end())
      for (BasicBlock *From : Before)
        Path->second->addIncoming(
            B.getInt32(static_cast<unsigned>(find(Unique, OriginalOf.lookup(From)) - Unique.begin())), From);
  }
  B.SetInsertPoint(S.End);
  return S;
}

void ReverseWriter::copyBlock(Slice &S, SliceKind Kind, BasicBlock &Block, Value *Leave) {
  Region &R = *S.R;
  B.SetInsertPoint(S.First[&Block]);
  bool IsOwnHeader = &Block == R.header();
  for (PHINode &Phi : Block.phis()) {
    if (!isComputedAgain(R, Phi) || isRead(S, Phi))
      continue;
    if (IsOwnHeader) {
      auto Start = R.Start.find(&Phi);
      if (Start != R.Start.end()) // else it is read after the loop only, where the first sweep has left it
        S.Map[&Phi] = B.CreateLoad(Phi.getType(), Start->second);
    } else {
      S.Map[&Phi] = B.CreatePHI(Phi.getType(), Phi.getNumIncomingValues());
    }
  }
  Region &Own = regionOf(&Block);
  if (&Own == &R && !IsOwnHeader && Kind != NextIteration && pred_size(&Block) > 1)
    S.Paths[&Block] = B.CreatePHI(B.getInt32Ty(), 2);
  if (Own.Parent == &R && Own.header() == &Block && Kind != NextIteration && Own.Plan->Order == LoopPlan::Backwards)
    countIterations(S, Own, Block);
  if (Own.Parent == &R && Own.header() == &Block)
    beginUndo(Own);
  for (PHINode &Phi : Block.phis())
    if (isRead(S, Phi))
      S.Map[&Phi] = readKept(R, Phi);
    else if (Value *Copy = S.Map.lookup(&Phi))
      keepValue(S, Kind, Phi, Copy);
  for (Instruction &I : Block) {
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules());
        Rule && &Own == &R && Kind != NextIteration && Active.isActive(&I))
      saveRuleMemory(cast<CallBase>(I), *Rule);
    if (isa<PHINode, AllocaInst>(I) || I.isTerminator() || !isComputedAgain(R, I))
      continue;
    if (isRead(S, I)) {
      S.Map[&I] = readKept(R, I);
      continue;
    }
    // Operands first: reading one may emit loads.
    SmallVector<Value *, 4> Operands;
    for (Use &Operand : I.operands())
      Operands.push_back(isa<BasicBlock, MetadataAsValue, Function>(Operand) ? Operand.get() : copied(S, Operand));
    Instruction *Copy = I.clone();
    B.SetCurrentDebugLocation(Places.of(I));
    Copy->setDebugLoc(Places.of(I));
    for (unsigned K = 0; K < Operands.size(); ++K)
      Copy->setOperand(K, Operands[K]);
    if (auto *Store = dyn_cast<StoreInst>(Copy); Store && Contents.isUndone(I))
      keepOverwritten(cast<StoreInst>(I), *Store);
    B.Insert(Copy);
    S.Map[&I] = Copy;
    keepValue(S, Kind, I, Copy);
    if (orderingCall(I))
      keepOrdering(*cast<CallInst>(Copy));
  }
  if (Kind != NextIteration && &Own == &R)
    for (Region *Child : R.Children)
      if (Child->L->getLoopPreheader() == &Block)
        copyMemory(*Child, Child->Plan->MemoryAtEntry, Child->EntryMemory, /*Back=*/false);
  S.Last[&Block] = B.GetInsertBlock();
  copyTerminator(S, Kind, Block, Leave);
}

void ReverseWriter::copyTerminator(Slice &S, SliceKind Kind, BasicBlock &Block, Value *Leave) {
  Region &R = *S.R;
  Instruction *Terminator = Block.getTerminator();
  if (isa<ReturnInst>(Terminator)) {
    B.CreateBr(S.End);
    return;
  }
  if (isa<UnreachableInst>(Terminator)) {
    B.SetCurrentDebugLocation(Places.of(*Terminator));
    const auto *Before = dyn_cast_or_null<CallInst>(Terminator->getPrevNode());
    const Function *Callee = Before ? Before->getCalledFunction() : nullptr;
    if (Callee && (Callee->getIntrinsicID() == Intrinsic::trap || Callee->getName() == "kernix_raise"))
      B.CreateIntrinsic(Intrinsic::trap, {})->copyMetadata(*Before, {Context.getMDKindID(WhyOfTrap)});
    B.CreateUnreachable();
    return;
  }
  auto Leaves = [&](BasicBlock *To) { return R.L && (To == R.header() || !R.L->contains(To)); };
  auto Edge = [&](BasicBlock *To) -> BasicBlock * {
    if (Paths.endsThreads(&Block, To)) {
      BasicBlock *Return = newBlock("return");
      ReturnInst::Create(Context, Return);
      return Return;
    }
    if (!Leaves(To))
      return S.First[To];
    BasicBlock *Through = newBlock("forward.leave");
    BranchInst::Create(S.End, Through);
    S.Ended->addIncoming(B.getInt32(exitNumber(R, &Block, To)), Through);
    return Through;
  };
  auto IsForced = [&](BasicBlock *To) {
    return (Kind == GivenControl || Kind == NextIteration) && &regionOf(&Block) == &R && Leaves(To) && To != R.header();
  };
  SmallVector<BasicBlock *, 4> Free, Forced;
  for (BasicBlock *To : successors(&Block)) {
    auto &List = IsForced(To) ? Forced : Free;
    if (!is_contained(List, To))
      List.push_back(To);
  }
  if (!Forced.empty() && Kind == GivenControl) {
    // Whether this iteration is the last, and how it ends, was decided by the forward sweep.
    while (!Forced.empty() && !(Free.empty() && Forced.size() == 1)) {
      BasicBlock *To = Forced.pop_back_val();
      BasicBlock *Otherwise = newBlock("forward");
      B.CreateCondBr(B.CreateICmpEQ(Leave, B.getInt32(exitNumber(R, &Block, To))), Edge(To), Otherwise);
      B.SetInsertPoint(Otherwise);
      S.Last[&Block] = Otherwise;
    }
    if (Free.empty()) {
      B.CreateBr(Edge(Forced.front()));
      return;
    }
  }
  if (Free.empty()) { // an iteration that has a next one does not come here
    B.CreateUnreachable();
    return;
  }
  if (Free.size() == 1) {
    B.CreateBr(Edge(Free.front()));
    return;
  }
  if (auto *Branch = dyn_cast<BranchInst>(Terminator)) {
    Value *Condition = copied(S, Branch->getCondition());
    B.CreateCondBr(Condition, Edge(Branch->getSuccessor(0)), Edge(Branch->getSuccessor(1)));
    return;
  }
  auto *Switch = cast<SwitchInst>(Terminator);
  Value *Condition = copied(S, Switch->getCondition());
  BasicBlock *Default = is_contained(Free, Switch->getDefaultDest()) ? Switch->getDefaultDest() : Free.front();
  SwitchInst *Copy = B.CreateSwitch(Condition, Edge(Default), Switch->getNumCases());
  for (auto &Case : Switch->cases())
    if (is_contained(Free, Case.getCaseSuccessor()))
      Copy->addCase(Case.getCaseValue(), Edge(Case.getCaseSuccessor()));
}
