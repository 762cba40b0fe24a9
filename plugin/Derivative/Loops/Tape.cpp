//===- Tape.cpp - what a reversed iteration starts from ---------------------------------------------------------===//
//
// A loop whose bound is known keeps its carried values in an array of that size. Any other keeps checkpoints on four
// levels of 64: level j holds the state at the last 64 multiples of 64^j. Going backwards, the values of one segment of
// 64 iterations are at level 0; where a segment begins, the one before it is run again from the nearest checkpoint of a
// higher level. 64 iterations cost nothing extra, 64^2 one more forward run, 64^4 three.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {
constexpr unsigned Levels = CheckpointLevels;
constexpr uint64_t SlotsOfLevel = CheckpointsOfLevel;
constexpr unsigned BitsOfLevel = 6;

/// Of a copy: the variable's own, so that a derivative of the derivative sees numbers.
Type *typeOf(const CarriedMemory &M) {
  Type *T = M.Variable->getAllocatedType();
  return M.Variable->isArrayAllocation() ? ArrayType::get(Type::getInt8Ty(T->getContext()), M.Size) : T;
}
} // namespace

bool ReverseWriter::hasState(const Region &R) const {
  return !R.Plan->MemoryOfIterations.empty() ||
         any_of(R.Plan->Carried, [](const auto &Entry) { return Entry.second.Kind == CarriedValue::Stored; });
}

void ReverseWriter::makeTape(Region &R) {
  R.ExitNumber = newVariable(B.getInt32Ty(), "exit");
  auto MakeCopies = [&](ArrayRef<CarriedMemory> Memory, MemoryCopies &Copies, const char *Name) {
    for (const CarriedMemory &M : Memory) {
      Copies[M.Variable] = newVariable(typeOf(M), Name);
      Copies[M.Variable]->setAlignment(M.Variable->getAlign());
    }
  };
  MakeCopies(R.Plan->MemoryAtEntry, R.EntryMemory, "entry.memory");
  MakeCopies(R.Plan->MemoryHandedOn, R.HandedOnMemory, "handed.on");
  if (R.Plan->Order == LoopPlan::Forwards) {
    for (PHINode &Phi : R.header()->phis())
      if (isComputedAgain(R, Phi))
        R.Start[&Phi] = newVariable(Phi.getType(), "start");
    return;
  }
  R.Count = newVariable(CountType, "count");
  R.Iteration = newVariable(CountType, "iteration");
  for (auto &[Phi, How] : R.Plan->Carried) {
    if (How.Kind == CarriedValue::Unused)
      continue;
    R.Start[Phi] = newVariable(Phi->getType(), "start");
    if (How.Kind == CarriedValue::Stored)
      R.Tape[Phi] = newVariable(ArrayType::get(Phi->getType(), R.Plan->slots()), "tape");
  }
  makeKeptTapes(R);
  for (const CarriedMemory &M : R.Plan->MemoryOfIterations) {
    R.MemoryTape[M.Variable] = newVariable(ArrayType::get(typeOf(M), R.Plan->slots()), "memory.tape");
    R.MemoryTape[M.Variable]->setAlignment(M.Variable->getAlign());
  }
}

/// All levels lie in one variable: a pointer into it leads to one object, also where branches of several levels meet.
Value *ReverseWriter::placeOnTape(AllocaInst *Tape, unsigned Level, Value *Slot) {
  if (Level)
    Slot = B.CreateAdd(Slot, ConstantInt::get(CountType, Level * SlotsOfLevel), "", /*HasNUW=*/true, /*HasNSW=*/true);
  return B.CreateInBoundsGEP(Tape->getAllocatedType(), Tape, {ConstantInt::get(CountType, 0), Slot});
}

void ReverseWriter::storeState(Region &R, unsigned Level, Value *Slot, function_ref<Value *(PHINode *)> ValueOf) {
  for (auto &[Phi, How] : R.Plan->Carried)
    if (How.Kind == CarriedValue::Stored)
      B.CreateStore(ValueOf(Phi), placeOnTape(R.Tape[Phi], Level, Slot));
  for (const CarriedMemory &M : R.Plan->MemoryOfIterations) {
    Value *Place = placeOnTape(R.MemoryTape[M.Variable], Level, Slot);
    B.CreateMemCpy(Place, MaybeAlign(),
                   copied(*regionOf(M.Variable->getParent()).Current, const_cast<AllocaInst *>(M.Variable)),
                   MaybeAlign(M.Variable->getAlign()), M.Size);
  }
}

void ReverseWriter::loadState(Region &R, unsigned Level, Value *Slot) {
  for (auto &[Phi, How] : R.Plan->Carried)
    if (How.Kind == CarriedValue::Stored)
      B.CreateStore(B.CreateLoad(Phi->getType(), placeOnTape(R.Tape[Phi], Level, Slot)), R.Start[Phi]);
  for (const CarriedMemory &M : R.Plan->MemoryOfIterations) {
    Value *Place = placeOnTape(R.MemoryTape[M.Variable], Level, Slot);
    B.CreateMemCpy(copied(*regionOf(M.Variable->getParent()).Current, const_cast<AllocaInst *>(M.Variable)),
                   MaybeAlign(M.Variable->getAlign()), Place, MaybeAlign(), M.Size);
  }
}

void ReverseWriter::saveState(Region &R, Value *Iteration, function_ref<Value *(PHINode *)> ValueOf) {
  if (!hasState(R))
    return;
  if (R.Plan->Bound) {
    storeState(R, 0, Iteration, ValueOf);
    return;
  }
  auto SlotAt = [&](unsigned Level) {
    return B.CreateAnd(B.CreateLShr(Iteration, BitsOfLevel * Level), ConstantInt::get(CountType, SlotsOfLevel - 1));
  };
  storeState(R, 0, SlotAt(0), ValueOf);
  BasicBlock *Done = newBlock("saved");
  for (unsigned Level = 1; Level < Levels; ++Level) {
    BasicBlock *Save = newBlock("checkpoint");
    uint64_t Mask = (uint64_t(1) << (BitsOfLevel * Level)) - 1;
    Value *Rest = B.CreateAnd(Iteration, ConstantInt::get(CountType, Mask));
    B.CreateCondBr(B.CreateICmpEQ(Rest, ConstantInt::get(CountType, 0)), Save, Done);
    B.SetInsertPoint(Save);
    storeState(R, Level, SlotAt(Level), ValueOf);
  }
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

void ReverseWriter::countIterations(Slice &S, Region &Child, BasicBlock &Header) {
  // The counter starts at zero where the copy of the preheader ends.
  BasicBlock *Before = S.Last[Child.L->getLoopPreheader()];
  IRBuilder<>(Before->getTerminator()).CreateStore(ConstantInt::get(CountType, 0), Child.Count);
  Value *Iteration = B.CreateLoad(CountType, Child.Count);
  uint64_t Most = Child.Plan->Bound ? Child.Plan->Bound : hasState(Child) ? uint64_t(1) << (BitsOfLevel * Levels) : 0;
  if (Most && (!Child.Plan->Bound || Child.Plan->BoundIsPromised || Child.Plan->BoundIsOfUndo)) {
    BasicBlock *TooMany = newBlock("too.many"), *Go = newBlock("forward");
    B.CreateCondBr(B.CreateICmpUGE(Iteration, ConstantInt::get(CountType, Most)), TooMany, Go);
    B.SetInsertPoint(TooMany);
    fail(*Header.getTerminator(),
         Child.Plan->BoundIsOfUndo     ? "a loop whose changes to shared memory have to be undone ran more often than "
                                         "there is room for; give it [[kernix::max_iters(N)]]"
         : Child.Plan->BoundIsPromised ? "a loop ran more often than its [[kernix::max_iters]] says"
                                       : "a loop ran more than 16777216 times, which its checkpoints do not cover");
    B.SetInsertPoint(Go);
  }
  saveState(Child, Iteration, [&](PHINode *Phi) { return copied(S, Phi); });
  B.CreateStore(B.CreateAdd(Iteration, ConstantInt::get(CountType, 1)), Child.Count);
}

/// A carried value that is its first one and a multiple of a step.
Value *ReverseWriter::affineAt(Region &R, PHINode &Phi, Value *Iteration) {
  const CarriedValue &How = R.Plan->Carried.find(&Phi)->second;
  Value *First = valueOf(Phi.getIncomingValueForBlock(R.L->getLoopPreheader()));
  Value *Step = valueOf(How.Step);
  Value *Way = B.CreateMul(B.CreateZExtOrTrunc(Iteration, Step->getType()), Step);
  if (Phi.getType()->isPointerTy())
    return B.CreateGEP(B.getInt8Ty(), First, Way);
  return How.Negative ? B.CreateSub(First, Way) : B.CreateAdd(First, Way);
}

void ReverseWriter::computeAffine(Region &R, Value *Iteration) {
  for (auto &[Phi, How] : R.Plan->Carried)
    if (How.Kind == CarriedValue::Affine)
      B.CreateStore(affineAt(R, *Phi, Iteration), R.Start[Phi]);
}

void ReverseWriter::restoreState(Region &R) {
  Value *Iteration = B.CreateLoad(CountType, R.Iteration);
  computeAffine(R, Iteration);
  restoreFromKept(R, Iteration);
  if (!hasState(R))
    return;
  if (R.Plan->Bound) {
    loadState(R, 0, Iteration);
    return;
  }
  // At the last iteration of an earlier segment, that segment's values have to be made.
  Value *Mask = ConstantInt::get(CountType, SlotsOfLevel - 1);
  Value *Next = B.CreateAdd(Iteration, ConstantInt::get(CountType, 1));
  Value *IsLast = B.CreateICmpEQ(Next, B.CreateLoad(CountType, R.Count));
  Value *Inside = B.CreateICmpNE(B.CreateAnd(Next, Mask), ConstantInt::get(CountType, 0));
  BasicBlock *Ready = newBlock("segment.ready"), *Look = newBlock("segment.missing");
  B.CreateCondBr(B.CreateOr(IsLast, Inside), Ready, Look);
  B.SetInsertPoint(Look);
  AllocaInst *From = newVariable(CountType, "rerun.from");
  BasicBlock *Run = newBlock("segment.run");
  for (unsigned Level = 1; Level < Levels; ++Level) {
    auto Load = [&] {
      Value *Slot = B.CreateAnd(B.CreateLShr(Iteration, BitsOfLevel * Level), Mask);
      loadState(R, Level, Slot);
      uint64_t Low = (uint64_t(1) << (BitsOfLevel * Level)) - 1;
      B.CreateStore(B.CreateAnd(Iteration, ConstantInt::get(CountType, ~Low)), From);
      B.CreateBr(Run);
    };
    if (Level + 1 == Levels) {
      Load();
      break;
    }
    // Valid unless a segment of the next level begins here too.
    uint64_t Higher = (uint64_t(1) << (BitsOfLevel * (Level + 1))) - 1;
    BasicBlock *Here = newBlock("segment.here"), *Above = newBlock("segment.above");
    B.CreateCondBr(
        B.CreateICmpNE(B.CreateAnd(Next, ConstantInt::get(CountType, Higher)), ConstantInt::get(CountType, 0)), Here,
        Above);
    B.SetInsertPoint(Here);
    Load();
    B.SetInsertPoint(Above);
  }
  B.SetInsertPoint(Run);
  rerunSegment(R, From, Iteration);
  B.CreateBr(Ready);
  B.SetInsertPoint(Ready);
  loadState(R, 0, B.CreateAnd(Iteration, Mask));
}

/// Runs from the state in R.Start at iteration *From to iteration Until and saves all states on the way.
void ReverseWriter::rerunSegment(Region &R, AllocaInst *From, Value *Until) {
  AllocaInst *At = newVariable(CountType, "rerun.at");
  B.CreateStore(B.CreateLoad(CountType, From), At);
  BasicBlock *Loop = newBlock("rerun"), *Step = newBlock("rerun.step"), *Done = newBlock("rerun.done");
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  Value *Iteration = B.CreateLoad(CountType, At);
  computeAffine(R, Iteration);
  saveState(R, Iteration, [&](PHINode *Phi) -> Value * { return B.CreateLoad(Phi->getType(), R.Start[Phi]); });
  B.CreateCondBr(B.CreateICmpEQ(Iteration, Until), Done, Step);
  B.SetInsertPoint(Step);
  separate(R);
  Slice &S = copyForward(R, NextIteration, nullptr);
  SmallVector<std::pair<PHINode *, Value *>, 4> Next;
  for (auto &[Phi, How] : R.Plan->Carried)
    if (How.Kind == CarriedValue::Stored) {
      Value *V = Phi->getIncomingValueForBlock(R.L->getLoopLatch());
      auto *I = dyn_cast<Instruction>(V);
      Next.push_back({Phi, I && R.L->contains(I) ? readFrom(S, V) : copied(S, V)});
    }
  for (auto [Phi, V] : Next)
    B.CreateStore(V, R.Start[Phi]);
  B.CreateStore(B.CreateAdd(Iteration, ConstantInt::get(CountType, 1)), At);
  B.CreateBr(Loop);
  B.SetInsertPoint(Done);
}

/// To or from the copies that the parent's forward copy works on.
void ReverseWriter::copyMemory(Region &R, ArrayRef<CarriedMemory> Memory, const MemoryCopies &Copies, bool Back) {
  for (const CarriedMemory &M : Memory) {
    Value *Own = copied(*R.Parent->Current, const_cast<AllocaInst *>(M.Variable)), *Copy = Copies.lookup(M.Variable);
    const MaybeAlign Alignment(M.Variable->getAlign());
    B.CreateMemCpy(Back ? Own : Copy, Alignment, Back ? Copy : Own, Alignment, M.Size);
  }
}
