//===- PhaseShuffles.cpp - what the lanes of a warp give each other ----------------------------------------------===//

#include "CpuTarget/FrameLoops.h"
#include "CpuTarget/PhaseLoops.h"

using namespace llvm;

namespace kernix {

/// Result = Value of the lane that Source names, if there is one.
void PhaseLoops::emitShuffle(const kernix::Cut &Shuffle) {
  Value *Count = activeThreads();
  if (!Shuffle.Lanes)
    return emitReads(Count);
  BasicBlock *Permute = BasicBlock::Create(Context, "permute", &F);
  BasicBlock *Read = BasicBlock::Create(Context, "read", &F);
  BasicBlock *After = BasicBlock::Create(Context, "shuffled", &F);
  // Whole warps, in a block of one row.
  Value *Whole = Builder.CreateICmpEQ(Builder.CreateAnd(Count, 31), Builder.getInt64(0));
  Value *Rows = Builder.CreateNUWMul(Grid.BlockDim[1], Grid.BlockDim[2]);
  Builder.CreateCondBr(Builder.CreateAnd(Whole, Builder.CreateICmpEQ(Rows, Builder.getInt32(1))), Permute, Read);
  Builder.SetInsertPoint(Permute);
  emitPermutation(*Shuffle.Lanes, Count);
  Builder.CreateBr(After);
  Builder.SetInsertPoint(Read);
  emitReads(Count);
  Builder.CreateBr(After);
  Builder.SetInsertPoint(After);
}

/// Warp by warp, as one vector.
void PhaseLoops::emitPermutation(ArrayRef<int> Lanes, Value *Count) {
  Type *Int64 = Builder.getInt64Ty();
  Value *Values = slotBase(Plan.Slots.Value), *Results = slotBase(Plan.Slots.Result);
  BasicBlock *From = Builder.GetInsertBlock();
  BasicBlock *Loop = BasicBlock::Create(Context, "permute.warp", &F);
  BasicBlock *After = BasicBlock::Create(Context, "permute.after", &F);
  Builder.CreateBr(Loop);
  Builder.SetInsertPoint(Loop);
  PHINode *First = Builder.CreatePHI(Int64, 2);
  Value *Warp = Builder.CreateAlignedLoad(FixedVectorType::get(Int64, Lanes.size()),
                                          Builder.CreateInBoundsGEP(Int64, Values, First), Align(8));
  Builder.CreateAlignedStore(Builder.CreateShuffleVector(Warp, Lanes), Builder.CreateInBoundsGEP(Int64, Results, First),
                             Align(8));
  Value *Next = Builder.CreateNUWAdd(First, Builder.getInt64(Lanes.size()));
  First->addIncoming(Builder.getInt64(0), From);
  First->addIncoming(Next, Loop);
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), Loop, After);
  Builder.SetInsertPoint(After);
}

/// Thread by thread.
void PhaseLoops::emitReads(Value *Count) {
  Builder.CreateCall(lanesFunction(F),
                     {slotBase(Plan.Slots.Source), slotBase(Plan.Slots.Value), slotBase(Plan.Slots.Result), Count});
}

} // namespace kernix
