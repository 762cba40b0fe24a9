//===- PhaseRounds.cpp - threads that are not all at one cut -----------------------------------------------------===//
//
// What all threads decide alike is decided once, by an outline of the phase. Where they have come to different cuts,
// they go on in mixed rounds.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/FrameLoops.h"
#include "CpuTarget/PhaseLoops.h"
#include "CpuTarget/Rematerialize.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kernix {

/// True for what the outline of a phase computes.
bool PhaseLoops::keepInOutline(const Instruction &I) const {
  if (I.isTerminator())
    return true;
  if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
    return Slot && isUniformSlot(const_cast<AllocaInst *>(Slot));
  }
  // Whatever the attributes of their declaration: other passes declare them too.
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (const Function *Callee = calledFunction(*Call); Callee && geometryItem(*Callee))
      return Uniform.isUniform(&I);
  return Uniform.isUniform(&I) && !I.mayHaveSideEffects();
}

/// The code from From to the next cuts once, without what differs between threads.
void PhaseLoops::emitOutline(BasicBlock *From) {
  auto Next = [&](BasicBlock *Block) {
    BasicBlock *Join = Uniform.joinOf(Block);
    return Join ? SmallVector<BasicBlock *>{Join} : SmallVector<BasicBlock *>(successors(Block));
  };
  SetVector<BasicBlock *> Region;
  Region.insert(From);
  for (size_t I = 0; I != Region.size(); ++I)
    for (BasicBlock *To : Next(Region[I]))
      if (!cutAt(To))
        Region.insert(To);
  ValueToValueMapTy Map;
  for (auto &[Slot, Cell] : Cells)
    Map[Slot] = Cell.first;
  SmallVector<BasicBlock *> Copies;
  for (BasicBlock *Block : Region) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, ".outline", &F);
    Map[Block] = Copy;
    Copies.push_back(Copy);
  }
  for (auto [Block, Copy] : zip(Region, Copies)) {
    Instruction *End = Copy->getTerminator();
    if (isa<ReturnInst>(End)) {
      ReplaceInstWithInst(End, BranchInst::Create(BlockEnd));
    } else if (BasicBlock *Join = Uniform.joinOf(Block)) {
      std::optional<unsigned> Cut = cutAt(Join);
      ReplaceInstWithInst(End, BranchInst::Create(Cut ? ArrivalBlock[*Cut] : Join));
    } else {
      for (unsigned I = 0; I != End->getNumSuccessors(); ++I)
        if (std::optional<unsigned> Cut = cutAt(End->getSuccessor(I)))
          End->setSuccessor(I, ArrivalBlock[*Cut]);
    }
    SmallVector<Instruction *> Dropped;
    for (auto [Old, New] : zip(*Block, *Copy)) {
      if (!New.isTerminator() && !keepInOutline(Old))
        Dropped.push_back(&New);
      else if (auto *Phi = dyn_cast<PHINode>(&New))
        for (unsigned I = Phi->getNumIncomingValues(); I-- != 0;)
          if (!Region.contains(Phi->getIncomingBlock(I)))
            Phi->removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
    }
    for (Instruction *I : Dropped) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
  remapInstructionsInBlocks(Copies, Map);
  for (BasicBlock *Copy : Copies)
    for (Instruction &I : make_early_inc_range(*Copy))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = calledFunction(*Call))
          if (std::optional<GeometryItem> Item = geometryItem(*Callee)) {
            Call->replaceAllUsesWith(Grid.geometry(*Item, BlockIdx, {}));
            Call->eraseFromParent();
          }
  Builder.CreateBr(cast<BasicBlock>(Map[From]));
}

/// A block that leads to Mixed, in which threads have uniform values of their own.
BasicBlock *PhaseLoops::toMixed(BasicBlock *Mixed) {
  if (Cells.empty())
    return Mixed;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  BasicBlock *Block = BasicBlock::Create(Context, "part", &F);
  Builder.SetInsertPoint(Block);
  SmallVector<Value *> Uniforms;
  for (auto &[Slot, Cell] : Cells)
    Uniforms.push_back(Builder.CreateLoad(Slot->getAllocatedType(), Cell.first));
  Nest N = openNest("part", /*IsMixed=*/true);
  for (auto [Value, Entry] : zip(Uniforms, Cells))
    Builder.CreateStore(Value, slot(N, Entry.first));
  Builder.CreateBr(N.Next);
  closeNest(N);
  Builder.CreateBr(Mixed);
  return Block;
}

/// The way back.
void PhaseLoops::cellsFromFirstThread() {
  for (auto &[Slot, Cell] : Cells)
    Builder.CreateStore(Builder.CreateLoad(Slot->getAllocatedType(), slotBase(Slot)), Cell.first);
}

/// Goes on with a phase if all threads have come to the same cut.
void PhaseLoops::emitUniformTest(const SetVector<unsigned> &Cuts) {
  Value *Common = Builder.CreateCall(commonCutFunction(F), {slotBase(Plan.Slots.Next), activeThreads()});
  SwitchInst *Switch = Builder.CreateSwitch(Common, MixedBlock);
  for (unsigned Cut : Cuts)
    Switch->addCase(Builder.getInt32(Cut), Cut == Done ? BlockEnd : ArrivalBlock[Cut]);
}

/// Rounds in which each thread goes on from where it stands, if it may.
void PhaseLoops::emitMixed() {
  SmallVector<Constant *> List = {Builder.getInt8(0)};
  for (const Cut &C : Plan.Cuts)
    List.push_back(Builder.getInt8(static_cast<uint8_t>(C.Kind)));
  Constant *Table = ConstantArray::get(ArrayType::get(Builder.getInt8Ty(), List.size()), List);
  Module &M = *F.getParent();
  auto *Kinds = new GlobalVariable(M, Table->getType(), true, GlobalValue::PrivateLinkage, Table, ".kernix.waits");

  Builder.SetInsertPoint(MixedBlock);
  Type *Int32 = Builder.getInt32Ty();
  FunctionCallee Resolve =
      M.getOrInsertFunction("kernix_cpu_resolve_waits", Int32, Builder.getPtrTy(), Int32, Builder.getPtrTy());
  Value *Ready = Builder.CreateCall(Resolve, {Frame, Builder.CreateTrunc(Threads, Int32), Kinds});
  BasicBlock *Some = BasicBlock::Create(Context, "mixed.some", &F);
  BasicBlock *Same = BasicBlock::Create(Context, "mixed.same", &F);
  Builder.CreateCondBr(Builder.CreateICmpEQ(Ready, Builder.getInt32(0)), BlockEnd, Some);
  Builder.SetInsertPoint(Some);
  // -1 - n: the first n go on from one place, the others have returned.
  Value *Live = Builder.CreateNot(Ready);
  Value *AreAll = Builder.CreateICmpEQ(Live, Builder.CreateTrunc(Threads, Int32));
  Value *Rows = Builder.CreateNUWMul(Grid.BlockDim[1], Grid.BlockDim[2]);
  Value *IsRow = Builder.CreateAnd(Builder.CreateICmpSGE(Live, Builder.getInt32(0)),
                                   Builder.CreateICmpEQ(Rows, Builder.getInt32(1)));
  Builder.CreateCondBr(Active ? Builder.CreateOr(AreAll, IsRow) : AreAll, Same, MixedRound);
  Builder.SetInsertPoint(Same);
  if (Active)
    Builder.CreateStore(Builder.CreateSelect(AreAll, Width, Live), Active);
  cellsFromFirstThread();
  SwitchInst *Phases = Builder.CreateSwitch(Builder.CreateLoad(Int32, slotBase(Plan.Slots.Next)), BlockEnd);
  for (unsigned Cut = 1; Cut <= Plan.Cuts.size(); ++Cut)
    Phases->addCase(Builder.getInt32(Cut), PhaseBlock[Cut]);

  Builder.SetInsertPoint(MixedRound);
  Nest N = openNest("mixed", /*IsMixed=*/true);
  Value *MayGoOn = Builder.CreateICmpNE(Builder.CreateLoad(Int32, slot(N, Plan.Slots.Ready)), Builder.getInt32(0));
  BasicBlock *GoOn = BasicBlock::Create(Context, "mixed.go", &F, N.Next);
  Builder.CreateCondBr(MayGoOn, GoOn, N.Next);
  Builder.SetInsertPoint(GoOn);
  SwitchInst *Places = Builder.CreateSwitch(Builder.CreateLoad(Int32, slot(N, Plan.Slots.Next)), N.Next);
  DenseMap<BasicBlock *, BasicBlock *> Stops;
  for (auto [Index, C] : enumerate(Plan.Cuts)) {
    unsigned Number = static_cast<unsigned>(Index) + 1;
    Places->addCase(Builder.getInt32(Number), C.Block);
    if (C.Kind != WaitKind::Always)
      Stops[C.Block] = stop(N, Number, true);
  }
  BasicBlock *Returned = stop(N, Done, true);
  for (BasicBlock *Block : Original) {
    Block->moveBefore(N.Next);
    Instruction *End = Block->getTerminator();
    if (isa<ReturnInst>(End)) {
      BranchInst::Create(Returned, End->getIterator())->setDebugLoc(End->getDebugLoc());
      End->eraseFromParent();
    } else {
      for (unsigned I = 0; I != End->getNumSuccessors(); ++I)
        if (auto It = Stops.find(End->getSuccessor(I)); It != Stops.end())
          End->setSuccessor(I, It->second);
    }
    adopt(N, Block);
  }
  closeNest(N);
  Builder.CreateBr(MixedBlock);
}

} // namespace kernix
