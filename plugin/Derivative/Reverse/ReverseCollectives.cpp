//===- ReverseCollectives.cpp - barriers and warp shuffles in backward functions --------------------------------===//
//
// A barrier is its own reverse. The adjoint of a shuffle goes from the lanes that read to the lane that was read: for
// shifts and exchanges by one step another shuffle, for one source of many lanes a sum over them, and for any other
// source a loop over the lanes that have read this one. A lane that does not take part has no adjoint; what a shuffle
// returns for it is garbage and left out.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace kernix {

/// The operands of a shuffle, and who this thread is.
struct ShuffleOperands {
  Value *Mask = nullptr, *Lane = nullptr, *Width = nullptr;
  Value *Own = nullptr;                    ///< this thread's lane
  Value *First = nullptr, *Last = nullptr; ///< the lanes of its segment
  Value *Active = nullptr;                 ///< a bit for each lane that takes part
};

} // namespace kernix

namespace {

Value *geometry(IRBuilder<> &B, StringRef Name) {
  return B.CreateCall(declareGeometry(*B.GetInsertBlock()->getModule(), *findGeometry(Name)));
}

Value *ownLane(IRBuilder<> &B) {
  Value *Row =
      B.CreateAdd(geometry(B, "thread_idx.y"), B.CreateMul(geometry(B, "block_dim.y"), geometry(B, "thread_idx.z")));
  return B.CreateAnd(B.CreateAdd(geometry(B, "thread_idx.x"), B.CreateMul(geometry(B, "block_dim.x"), Row)), 31);
}

Value *shuffle(IRBuilder<> &B, StringRef Kind, Value *Mask, Value *V, Value *Lane, Value *Width) {
  Function *F = declareShuffle(*B.GetInsertBlock()->getModule(), Kind, V->getType());
  return B.CreateCall(F, {Mask, V, Lane, Width});
}

Value *hasBit(IRBuilder<> &B, Value *Bits, Value *Lane) {
  return B.CreateTrunc(B.CreateLShr(Bits, B.CreateAnd(Lane, 31)), B.getInt1Ty());
}

} // namespace

/// Keeps the copy of an iteration apart from what other threads still reverse.
void ReverseWriter::separate(Region &R) {
  if (const CallInst *Ordering = Contents.separator(*R.L))
    emitOrdering(*Ordering);
}

void ReverseWriter::emitOrdering(const CallInst &Ordering) {
  const Function &Callee = *Ordering.getCalledFunction();
  if (isBarrier(Callee))
    createBarrier(B);
  else
    B.CreateCall(const_cast<Function *>(&Callee), {valueOf(Ordering.getArgOperand(0))});
}

void ReverseWriter::reverseOrdering(const CallInst &Ordering) {
  // The mark that its copy has left among what is undone.
  if (Contents.undoesAny() && Contents.runs(regionOf(Ordering.getParent()).L, Ordering))
    popMark();
  if (Contents.mirrorsBarriers())
    emitOrdering(Ordering);
}

/// What is differentiated again has canonical functions only.
bool ReverseWriter::writesNvidiaCode() const {
  return Body.getParent()->getTargetTriple().isNVPTX() && !Request.IsDifferentiated;
}

void ReverseWriter::reverseShuffle(CallInst &Call, Value *Adjoint) {
  if (isBroadcast(Call)) {
    reverseBroadcast(Call, Adjoint);
    return;
  }
  StringRef Kind = Call.getCalledFunction()->getName().substr(StringRef("kernix.shfl.").size()).split('.').first;
  ShuffleOperands Operands;
  Operands.Mask = valueOf(Call.getArgOperand(0));
  Operands.Lane = valueOf(Call.getArgOperand(2));
  Operands.Width = valueOf(Call.getArgOperand(3));
  const auto *Width = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  const auto *Step = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  bool IsSameStep = Uniform.of(Call.getArgOperand(2)) <= UniformValues::Warp;
  Value *Result = nullptr;
  bool IsExchange = Kind == "bfly" && Width && IsSameStep &&
                    (Width->equalsInt(32) || (Step && Step->getZExtValue() < Width->getZExtValue()));
  if (IsExchange) {
    Result = shuffle(B, "bfly", Operands.Mask, Adjoint, Operands.Lane, Operands.Width);
    // On the CPU target a lane has its own adjoint from one that is not there, and none if it has left that one's
    // number out. On a GPU it is whatever lies there.
    const uint64_t Threads = Request.threadsOfBlock();
    const bool AllAreThere = namesAllLanes(Call) && !Paths.endsAnyThreads() && Threads > 0 && Threads % 32 == 0;
    if (Body.getParent()->getTargetTriple().isNVPTX() && !AllAreThere) {
      Operands.Active = B.CreateCall(declareLanes(*Body.getParent()), {Operands.Mask});
      Value *IsGiven = hasBit(B, Operands.Active, B.CreateXor(ownLane(B), Operands.Lane));
      Result = B.CreateSelect(IsGiven, Result, ConstantFP::getNegativeZero(Adjoint->getType()));
    }
  } else {
    // bits of a lane that tell the segment, and those that tell the place in it
    Value *Segment = B.CreateSub(B.getInt32(32), Operands.Width), *Inside = B.CreateNot(Segment);
    Operands.Own = ownLane(B);
    Operands.First = B.CreateAnd(Operands.Own, Segment);
    Operands.Last = B.CreateOr(Operands.First, B.CreateAnd(Inside, 31));
    Operands.Active = B.CreateCall(declareLanes(*Body.getParent()), {Operands.Mask});
    Value *Moved = B.CreateAnd(Operands.Lane, 31);
    Value *Back = B.CreateSub(Operands.Own, Moved), *On = B.CreateAdd(Operands.Own, Moved);
    Value *HasBack = B.CreateICmpSGE(Back, Operands.First), *HasOn = B.CreateICmpSLE(On, Operands.Last);
    if ((Kind == "down" || Kind == "up") && IsSameStep) {
      // From the lane that read this one, and its own where it had none to read.
      bool IsDown = Kind == "down";
      Value *Nothing = ConstantFP::getNegativeZero(Adjoint->getType());
      Value *Given = shuffle(B, IsDown ? "up" : "down", Operands.Mask, Adjoint, Operands.Lane, Operands.Width);
      Value *IsGiven = B.CreateAnd(IsDown ? HasBack : HasOn, hasBit(B, Operands.Active, IsDown ? Back : On));
      Result = B.CreateFAdd(B.CreateSelect(IsGiven, Given, Nothing),
                            B.CreateSelect(IsDown ? HasOn : HasBack, Nothing, Adjoint));
    } else {
      Value *Source = nullptr;
      if (Kind == "idx") {
        Source = B.CreateOr(Operands.First, B.CreateAnd(Moved, Inside));
      } else {
        Value *Wanted = Kind == "down" ? On : Kind == "up" ? Back : B.CreateXor(Operands.Own, Moved);
        Value *IsThere = Kind == "up" ? HasBack : Kind == "down" ? HasOn : B.CreateICmpSLE(Wanted, Operands.Last);
        Source = B.CreateSelect(IsThere, Wanted, Operands.Own);
      }
      Result = Kind == "idx" && IsSameStep && Width ? sumOfSegment(Operands, Adjoint, Source, *Width)
                                                    : sumOverLanes(Operands, Adjoint, Source);
    }
  }
  addToAdjoint(Call.getArgOperand(1), Result);
}

/// The sum of the adjoints of all lanes whose source is this one.
Value *ReverseWriter::sumOverLanes(const ShuffleOperands &Operands, Value *Adjoint, Value *Source) {
  if (writesNvidiaCode())
    return sumOfReaders(Operands, Adjoint, Source);
  Type *T = Adjoint->getType();
  AllocaInst *Sum = newVariable(T, "sum"), *At = newVariable(B.getInt32Ty(), "lane");
  Value *Nothing = ConstantFP::getNegativeZero(T), *Lanes = B.getInt32(32);
  B.CreateStore(Nothing, Sum);
  B.CreateStore(B.getInt32(0), At);
  BasicBlock *Again = newBlock("lane"), *Done = newBlock("lanes.done");
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  Value *Lane = B.CreateLoad(B.getInt32Ty(), At);
  Value *Given = shuffle(B, "idx", Operands.Mask, Adjoint, Lane, Lanes);
  Value *ItsSource = shuffle(B, "idx", Operands.Mask, Source, Lane, Lanes);
  Value *IsFromHere = B.CreateAnd(B.CreateICmpEQ(ItsSource, Operands.Own), hasBit(B, Operands.Active, Lane));
  B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Sum), B.CreateSelect(IsFromHere, Given, Nothing)), Sum);
  Value *Next = B.CreateAdd(Lane, B.getInt32(1));
  B.CreateStore(Next, At);
  B.CreateCondBr(B.CreateICmpULT(Next, Lanes), Again, Done);
  B.SetInsertPoint(Done);
  return B.CreateLoad(T, Sum);
}

/// The same on NVIDIA's GPUs: as many exchanges as the lane that most have read has readers; one, if lanes change
/// places.
Value *ReverseWriter::sumOfReaders(const ShuffleOperands &Operands, Value *Adjoint, Value *Source) {
  constexpr uint64_t BitsOfLane = 5;
  auto Vote = [&](Intrinsic::ID Kind, Value *Condition) {
    return B.CreateIntrinsic(Kind, ArrayRef<Type *>(), {Operands.Active, Condition});
  };
  // Lanes whose source agrees with this lane in all bits.
  Value *Readers = Operands.Active;
  for (uint64_t Bit = 0; Bit < BitsOfLane; ++Bit) {
    Value *Set = Vote(Intrinsic::nvvm_vote_ballot_sync, B.CreateTrunc(B.CreateLShr(Source, Bit), B.getInt1Ty()));
    Value *Own = B.CreateTrunc(B.CreateLShr(Operands.Own, Bit), B.getInt1Ty());
    Readers = B.CreateAnd(Readers, B.CreateSelect(Own, Set, B.CreateNot(Set)));
  }
  Type *T = Adjoint->getType();
  AllocaInst *Sum = newVariable(T, "sum"), *Left = newVariable(B.getInt32Ty(), "readers");
  Value *Nothing = ConstantFP::getNegativeZero(T), *Zero = B.getInt32(0);
  B.CreateStore(Nothing, Sum);
  B.CreateStore(Readers, Left);
  BasicBlock *Ask = newBlock("readers"), *Next = newBlock("reader"), *Done = newBlock("readers.done");
  B.CreateBr(Ask);
  B.SetInsertPoint(Ask);
  Value *Now = B.CreateLoad(B.getInt32Ty(), Left), *IsLeft = B.CreateICmpNE(Now, Zero);
  B.CreateCondBr(Vote(Intrinsic::nvvm_vote_any_sync, IsLeft), Next, Done);
  B.SetInsertPoint(Next);
  Value *Reader = B.CreateBinaryIntrinsic(Intrinsic::cttz, Now, B.getFalse());
  Value *Given =
      shuffle(B, "idx", Operands.Mask, Adjoint, B.CreateSelect(IsLeft, Reader, Operands.Own), B.getInt32(32));
  B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Sum), B.CreateSelect(IsLeft, Given, Nothing)), Sum);
  B.CreateStore(B.CreateAnd(Now, B.CreateSub(Now, B.getInt32(1))), Left);
  B.CreateBr(Ask);
  B.SetInsertPoint(Done);
  return B.CreateLoad(T, Sum);
}

/// The same where all lanes of a segment have one source: by halves, if all lanes are there.
Value *ReverseWriter::sumOfSegment(const ShuffleOperands &Operands, Value *Adjoint, Value *Source,
                                   const ConstantInt &Width) {
  Type *T = Adjoint->getType();
  AllocaInst *Sum = newVariable(T, "sum");
  BasicBlock *ByHalves = newBlock("lanes.halves"), *OneByOne = newBlock("lanes.single"), *Done = newBlock("lanes.done");
  B.CreateCondBr(B.CreateICmpEQ(Operands.Active, B.getInt32(~0U)), ByHalves, OneByOne);
  B.SetInsertPoint(ByHalves);
  Value *Total = Adjoint;
  for (uint64_t Step = Width.getZExtValue() / 2; Step; Step /= 2)
    Total = B.CreateFAdd(
        Total, shuffle(B, "bfly", Operands.Mask, Total, B.getInt32(static_cast<uint32_t>(Step)), Operands.Width));
  B.CreateStore(B.CreateSelect(B.CreateICmpEQ(Operands.Own, Source), Total, ConstantFP::getNegativeZero(T)), Sum);
  B.CreateBr(Done);
  B.SetInsertPoint(OneByOne);
  B.CreateStore(sumOverLanes(Operands, Adjoint, Source), Sum);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  return B.CreateLoad(T, Sum);
}
