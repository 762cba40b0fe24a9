//===- PhaseSteps.cpp - steps through data that all threads take together ----------------------------------------===//

#include "CpuTarget/PhaseLoops.h"
#include "CpuTarget/Rematerialize.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kernix {

/// The values of all threads, brought together by Operation.
Value *PhaseLoops::reduceSlot(AllocaInst *Slot, Intrinsic::ID Operation) {
  Type *Element = Slot->getAllocatedType();
  Value *Base = slotBase(Slot);
  Value *First = Builder.CreateLoad(Element, Base);
  BasicBlock *From = Builder.GetInsertBlock();
  BasicBlock *Loop = BasicBlock::Create(Context, "reduce", &F);
  BasicBlock *After = BasicBlock::Create(Context, "reduce.after", &F);
  Value *Count = activeThreads();
  Builder.CreateBr(Loop);
  Builder.SetInsertPoint(Loop);
  PHINode *Index = Builder.CreatePHI(Builder.getInt64Ty(), 2);
  PHINode *Sum = Builder.CreatePHI(Element, 2);
  Value *Other = Builder.CreateLoad(Element, Builder.CreateInBoundsGEP(Element, Base, Index));
  Value *NextSum = Builder.CreateBinaryIntrinsic(Operation, Sum, Other);
  Value *Next = Builder.CreateNUWAdd(Index, Builder.getInt64(1));
  Index->addIncoming(Builder.getInt64(0), From);
  Index->addIncoming(Next, Loop);
  Sum->addIncoming(First, From);
  Sum->addIncoming(NextSum, Loop);
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), Loop, After);
  Builder.SetInsertPoint(After);
  return NextSum;
}

/// The smallest number that a thread starts the loop with, 64 bits. The starts themselves are left in the slot Value.
Value *PhaseLoops::emitSmallestStart(const StepLoop &L) {
  Type *Int64 = Builder.getInt64Ty();
  if (StripBlocks > 1) { // the first thread's, unless indices wrap (emitStepCheck)
    Value *Zero = Builder.getInt32(0);
    Value *Start = rematerialize(L.Start, Builder,
                                 [&](GeometryItem Item) { return Grid.geometry(Item, BlockIdx, {Zero, Zero, Zero}); });
    return L.IsSigned ? Builder.CreateSExt(Start, Int64) : Builder.CreateZExt(Start, Int64);
  }
  Nest N = openNest("starts");
  Value *Start = rematerializeIn(N, L.Start);
  Start = L.IsSigned ? Builder.CreateSExt(Start, Int64) : Builder.CreateZExt(Start, Int64);
  Builder.CreateStore(Start, slot(N, Plan.Slots.Value));
  Builder.CreateBr(N.Next);
  closeNest(N);
  return reduceSlot(Plan.Slots.Value, L.IsSigned ? Intrinsic::smin : Intrinsic::umin);
}

/// True if all threads may take their steps together: no index wraps, in 64 bits nor in its own.
Value *PhaseLoops::emitStepCheck(const StepLoop &L, Value *Step, Value *Bound, Value *Smallest) {
  Type *Own = L.Index->getType();
  unsigned Bits = Own->getIntegerBitWidth();
  CmpInst::Predicate Greater = L.IsSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
  CmpInst::Predicate AtMost = L.IsSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
  // Beyond the bound by one step at most; a thread that wrapped there would begin again.
  Value *Largest = ConstantInt::get(Own, L.IsSigned ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits));
  Value *Positive = Builder.CreateICmp(Greater, Step, ConstantInt::get(Own, 0));
  Value *Fits = Builder.CreateAnd(Positive, Builder.CreateICmp(AtMost, Bound, Builder.CreateSub(Largest, Step)));
  if (Bits == 64 && L.IsSigned) { // bound - start is a number too
    constexpr int64_t Quarter = int64_t{1} << 62;
    Fits = Builder.CreateAnd(Fits, Builder.CreateICmpSLE(Bound, Builder.getInt64(Quarter)));
    Fits = Builder.CreateAnd(Fits, Builder.CreateICmpSGE(Smallest, Builder.getInt64(-Quarter)));
  }
  if (StripBlocks > 1) {
    auto Wide = [&](Value *V) { return Builder.CreateZExt(V, Builder.getInt64Ty()); };
    Value *Past = Builder.CreateAdd(Builder.CreateMul(Wide(BlockIdx[0]), Wide(Grid.BlockDim[0])), Wide(Width));
    Fits = Builder.CreateAnd(Fits, Builder.CreateICmpULE(Past, Builder.getInt64(0x7fffffff)));
  }
  return Fits;
}

/// One step of the loop, Offset behind the start, for the threads whose start is before Moved.
void PhaseLoops::emitStep(const StepLoop &L, Value *Offset, Value *Moved) {
  Type *Own = L.Index->getType();
  bool Narrow = Own->getIntegerBitWidth() == 32;
  if (Narrow && !L.IsSigned)
    Moved = Builder.CreateTrunc(Builder.CreateBinaryIntrinsic(Intrinsic::smax, Moved, Builder.getInt64(0)), Own);
  Nest N = openNest("step");
  Value *Start = rematerializeIn(N, L.Start);
  Value *Compared = Narrow && L.IsSigned ? Builder.CreateSExt(Start, Builder.getInt64Ty()) : Start;
  Value *Takes = Builder.CreateICmp(L.IsSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, Compared, Moved);
  Value *Index = Builder.CreateAdd(Start, Builder.CreateTrunc(Offset, Own));
  BasicBlock *Guard = Builder.GetInsertBlock();
  ValueToValueMapTy Map;
  cloneRegion(N, L.Header, false, Map, &L);
  auto *Copy = cast<BasicBlock>(Map[L.Header]);
  auto *Phi = cast<PHINode>(Map[L.Index]);
  Phi->replaceAllUsesWith(Index);
  Phi->eraseFromParent();
  ReplaceInstWithInst(Guard->getTerminator(), BranchInst::Create(Copy, N.Next, Takes));
  closeNest(N);
}

/// All threads are at the step loop of Cut: each step is one loop over those that still have one.
void PhaseLoops::emitSteps(unsigned Cut) {
  const StepLoop &L = Plan.Loops[Plan.Cuts[Cut - 1].Loop];
  Type *Int64 = Builder.getInt64Ty();
  auto Widen = [&](Value *V) { return L.IsSigned ? Builder.CreateSExt(V, Int64) : Builder.CreateZExt(V, Int64); };
  BasicBlock *Together = BasicBlock::Create(Context, "steps", &F);
  BasicBlock *Alone = BasicBlock::Create(Context, "steps.alone", &F);
  Builder.SetInsertPoint(PhaseBlock[Cut]);
  Value *Smallest = emitSmallestStart(L);
  Value *Step = rematerializePerBlock(L.Step);
  Value *Bound = rematerializePerBlock(L.Bound);
  Builder.CreateCondBr(emitStepCheck(L, Step, Bound, Smallest), Together, Alone);

  // Each thread runs the loop by itself.
  Builder.SetInsertPoint(Alone);
  Nest Mark = openNest("alone");
  Builder.CreateStore(Builder.getInt32(Cut), slot(Mark, Plan.Slots.Next));
  Builder.CreateStore(Builder.getInt32(1), slot(Mark, Plan.Slots.Ready));
  Builder.CreateBr(Mark.Next);
  closeNest(Mark);
  Builder.CreateBr(toMixed(MixedRound));

  Builder.SetInsertPoint(Together);
  Nest Enter = openNest("enter");
  ValueToValueMapTy EnterMap;
  EnterMap[L.Header] = Enter.Next;
  cloneRegion(Enter, L.Enter, false, EnterMap);
  closeNest(Enter);

  BasicBlock *Before = Builder.GetInsertBlock();
  BasicBlock *Test = BasicBlock::Create(Context, "steps.test", &F);
  BasicBlock *Take = BasicBlock::Create(Context, "steps.take", &F);
  BasicBlock *After = BasicBlock::Create(Context, "steps.done", &F);
  Value *End = Builder.CreateAdd(Widen(Bound), Builder.getInt64(L.IncludesBound ? 1 : 0));
  Value *Distance = Widen(Step);
  Builder.CreateBr(Test);
  Builder.SetInsertPoint(Test);
  PHINode *Offset = Builder.CreatePHI(Int64, 2);
  Offset->addIncoming(Builder.getInt64(0), Before);
  bool WideUnsigned = L.Index->getType()->isIntegerTy(64) && !L.IsSigned;
  Value *Moved =
      WideUnsigned ? Builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, End, Offset) : Builder.CreateSub(End, Offset);
  Builder.CreateCondBr(Builder.CreateICmp(WideUnsigned ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT, Smallest, Moved), Take,
                       After);
  Builder.SetInsertPoint(Take);
  emitStep(L, Offset, Moved);
  Offset->addIncoming(Builder.CreateAdd(Offset, Distance), Builder.GetInsertBlock());
  Builder.CreateBr(Test);
  emitPhase(After, L.Exit);
}

} // namespace kernix
