//===- KeptValues.cpp - values that are stored for each iteration because the source says so ----------------------===//
//
// The slice of the region around a loop puts such a value into an array, at the number of the iteration; the slice of
// an iteration takes it from there in the place of computing it again.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Reverse/ReverseWriter.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::makeKeptTapes(Region &R) {
  for (Instruction *I : R.Plan->Kept)
    R.KeptTape[I] = newVariable(ArrayType::get(I->getType(), R.Plan->slots()), "kept");
}

/// In a slice of the region around I's loop.
void ReverseWriter::keepValue(const Slice &S, SliceKind Kind, Instruction &I, Value *Copy) {
  Region &Own = regionOf(I.getParent());
  if (Own.Parent != S.R || Kind == NextIteration || !Own.KeptTape.contains(&I))
    return;
  Value *Iteration = B.CreateSub(B.CreateLoad(CountType, Own.Count), ConstantInt::get(CountType, 1));
  B.CreateStore(Copy, placeOnTape(Own.KeptTape[&I], 0, Iteration));
}

/// Whether a slice reads I from its tape.
bool ReverseWriter::isRead(const Slice &S, const Instruction &I) {
  return S.R->L && &regionOf(I.getParent()) == S.R && S.R->KeptTape.contains(&I);
}

Value *ReverseWriter::readKept(Region &R, const Instruction &I) {
  return B.CreateLoad(I.getType(), placeOnTape(R.KeptTape[&I], 0, B.CreateLoad(CountType, R.Iteration)));
}

/// The carried values that the iteration before has given.
void ReverseWriter::restoreFromKept(Region &R, Value *Iteration) {
  for (auto &[Phi, How] : R.Plan->Carried) {
    if (How.Kind != CarriedValue::Kept)
      continue;
    Value *First = valueOf(Phi->getIncomingValueForBlock(R.L->getLoopPreheader()));
    Value *IsFirst = B.CreateICmpEQ(Iteration, ConstantInt::get(CountType, 0));
    Value *Before = B.CreateSelect(IsFirst, Iteration, B.CreateSub(Iteration, ConstantInt::get(CountType, 1)));
    auto *Given = cast<Instruction>(Phi->getIncomingValueForBlock(R.L->getLoopLatch()));
    Value *Kept = B.CreateLoad(Phi->getType(), placeOnTape(R.KeptTape[Given], 0, Before));
    B.CreateStore(B.CreateSelect(IsFirst, First, Kept), R.Start[Phi]);
  }
}
