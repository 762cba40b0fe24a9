//===- PhaseNests.cpp - one loop over the threads of a block -----------------------------------------------------===//

#include "CpuTarget/GlobalIndex.h"
#include "CpuTarget/PhaseLoops.h"
#include "CpuTarget/Rematerialize.h"
#include "CpuTarget/ThreadLoop.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kernix {

PhaseLoops::Nest PhaseLoops::openNest(StringRef Name, bool IsMixed) {
  Nest N;
  N.IsMixed = IsMixed;
  SmallVector<Value *> Uniforms;
  if (!IsMixed)
    for (auto &[Slot, Cell] : Cells)
      Uniforms.push_back(Builder.CreateLoad(Slot->getAllocatedType(), Cell.first));
  BasicBlock *Headers[3], *Latches[3];
  PHINode *Indices[3];
  BasicBlock *From = Builder.GetInsertBlock();
  N.After = BasicBlock::Create(Context, Name + ".after", &F);
  Value *WidthOfNest = IsMixed ? Width : activeWidth();
  for (int Axis = 2; Axis >= 0; --Axis) {
    const char *Letter = Axis == 2 ? ".z" : Axis == 1 ? ".y" : ".x";
    Headers[Axis] = BasicBlock::Create(Context, Name + Letter, &F, N.After);
    Latches[Axis] = BasicBlock::Create(Context, Name + Letter + ".next", &F, N.After);
    Builder.CreateBr(Headers[Axis]);
    Builder.SetInsertPoint(Headers[Axis]);
    Indices[Axis] = Builder.CreatePHI(Builder.getInt32Ty(), 2);
    Indices[Axis]->addIncoming(Builder.getInt32(0), From);
    N.Thread[Axis] = Indices[Axis];
    From = Headers[Axis];
  }
  N.Next = Latches[0];
  Type *Int64 = Builder.getInt64Ty();
  Value *Row = Builder.CreateNUWAdd(Builder.CreateNUWMul(Indices[2], Grid.BlockDim[1]), Indices[1]);
  Value *Linear = Builder.CreateAdd(Builder.CreateMul(Row, Width, "", true, true), Indices[0], "", true, true);
  N.Linear = Builder.CreateZExt(Linear, Int64);
  if (FirstThread)
    N.Thread[0] = Builder.CreateNUWAdd(FirstThread, Indices[0]);
  BasicBlock *Body = BasicBlock::Create(Context, Name + ".body", &F, Latches[0]);
  N.SlotsEnd = Builder.CreateBr(Body);

  for (int Axis = 0; Axis != 3; ++Axis) {
    Builder.SetInsertPoint(Latches[Axis]);
    Value *Next = Builder.CreateAdd(Indices[Axis], Builder.getInt32(1), "", true, true);
    Indices[Axis]->addIncoming(Next, Latches[Axis]);
    Value *Count = Axis == 0 ? WidthOfNest : Grid.BlockDim[Axis];
    BranchInst *Branch = Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), Headers[Axis],
                                              Axis == 2 ? N.After : Latches[Axis + 1]);
    // Of a loop over rows of threads, copies are worth nothing: a kernel may have a hundred of them.
    StringRef Mark = Axis == 0 ? StringRef(ThreadLoopMarker) : StringRef("llvm.loop.unroll.runtime.disable");
    MDNode *Id = MDNode::getDistinct(Context, {nullptr, MDNode::get(Context, MDString::get(Context, Mark))});
    Id->replaceOperandWith(0, Id);
    Branch->setMetadata(LLVMContext::MD_loop, Id);
  }
  Builder.SetInsertPoint(Body);
  for (auto [Value, Entry] : zip(Uniforms, Cells))
    Builder.CreateStore(Value, Entry.second.second);
  return N;
}

/// Continues behind the loop.
void PhaseLoops::closeNest(Nest &N) { Builder.SetInsertPoint(N.After); }

/// Threads in x that have not returned. Fewer than Width only in blocks of one row.
Value *PhaseLoops::activeWidth() { return Active ? Builder.CreateLoad(Builder.getInt32Ty(), Active) : Width; }

/// Threads that have not returned, 64 bits.
Value *PhaseLoops::activeThreads() {
  if (!Active)
    return Threads;
  Value *Rows = Builder.CreateNUWMul(Grid.BlockDim[1], Grid.BlockDim[2]);
  return Builder.CreateZExt(Builder.CreateNUWMul(activeWidth(), Rows), Builder.getInt64Ty());
}

/// Where the first thread has a slot: all threads' values of one slot lie side by side.
Value *PhaseLoops::slotBase(AllocaInst *Slot) {
  return Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Frame,
                                   Builder.CreateNUWMul(Rounded, Builder.getInt64(Offsets[Slot].first)));
}

/// Where N's thread has it.
Value *PhaseLoops::slot(Nest &N, AllocaInst *Slot) {
  if (auto It = Cells.find(Slot); It != Cells.end() && !N.IsMixed)
    return It->second.second;
  Value *&Address = N.Slots[Slot];
  if (Address)
    return Address;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  Builder.SetInsertPoint(N.SlotsEnd);
  Builder.SetCurrentDebugLocation(Grid.Location);
  auto [Offset, Bytes] = Offsets[Slot];
  Type *Element = Slot->getAllocatedType();
  Value *Base = slotBase(Slot);
  if (F.getDataLayout().getTypeAllocSize(Element) == Bytes)
    Address = Builder.CreateInBoundsGEP(Element, Base, N.Linear);
  else
    Address =
        Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Base, Builder.CreateNUWMul(N.Linear, Builder.getInt64(Bytes)));
  return Address;
}

Value *PhaseLoops::rematerializeIn(Nest &N, Value *V) {
  return rematerialize(V, Builder, [&](GeometryItem Item) { return Grid.geometry(Item, BlockIdx, N.Thread); });
}

Value *PhaseLoops::rematerializePerBlock(Value *V) {
  return rematerialize(V, Builder, [&](GeometryItem Item) { return Grid.geometry(Item, BlockIdx, {}); });
}

std::optional<unsigned> PhaseLoops::cutAt(const BasicBlock *Block) const {
  for (auto [Index, C] : enumerate(Plan.Cuts))
    if (C.Block == Block)
      return static_cast<unsigned>(Index) + 1;
  return std::nullopt;
}

SetVector<unsigned> PhaseLoops::reachableCuts(BasicBlock *From) const {
  SetVector<unsigned> Result;
  for (BasicBlock *Block : region(From)) {
    if (isa<ReturnInst>(Block->getTerminator()))
      Result.insert(Done);
    for (BasicBlock *Next : successors(Block))
      if (std::optional<unsigned> Cut = cutAt(Next))
        Result.insert(*Cut);
  }
  return Result;
}

/// The blocks from From to the next cuts.
SetVector<BasicBlock *> PhaseLoops::region(BasicBlock *From) const {
  SetVector<BasicBlock *> Result;
  Result.insert(From);
  for (size_t I = 0; I != Result.size(); ++I)
    for (BasicBlock *Next : successors(Result[I]))
      if (!cutAt(Next))
        Result.insert(Next);
  return Result;
}

unsigned PhaseLoops::regionSize(BasicBlock *From) const {
  unsigned Size = 0;
  for (const BasicBlock *Block : region(From))
    Size += Block->size();
  return Size;
}

/// The end of a thread's turn at Cut.
BasicBlock *PhaseLoops::stop(Nest &N, unsigned Cut, bool StoresNext) {
  if (!StoresNext)
    return N.Next;
  BasicBlock *Block = BasicBlock::Create(Context, "stop", &F, N.Next);
  IRBuilder<> At(Block);
  At.SetCurrentDebugLocation(Grid.Location);
  At.CreateStore(At.getInt32(Cut), slot(N, Plan.Slots.Next));
  At.CreateBr(N.Next);
  return Block;
}

/// Makes the code of Block, already in N's loop, code of N's thread.
void PhaseLoops::adopt(Nest &N, BasicBlock *Block) {
  for (Instruction &I : make_early_inc_range(*Block)) {
    for (Use &U : I.operands())
      if (auto *Slot = dyn_cast<AllocaInst>(U); Slot && Offsets.contains(Slot))
        U.set(slot(N, Slot));
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    Function *Callee = calledFunction(*Call);
    if (std::optional<GeometryItem> Item = Callee ? geometryItem(*Callee) : std::nullopt) {
      Call->replaceAllUsesWith(Grid.geometry(*Item, BlockIdx, N.Thread));
      Call->eraseFromParent();
    } else if (Graph.mayReach(*Call, PlaceReaders)) {
      Grid.storePlace(*Call, BlockIdx, N.Thread);
    }
  }
}

/// Copies the code from From to the next cuts to Builder's place, or, with Loop, one turn of that loop. Map may have
/// places for edges that leave what is copied.
void PhaseLoops::cloneRegion(Nest &N, BasicBlock *From, bool StoresNext, ValueToValueMapTy &Map, const StepLoop *Loop) {
  auto Leaves = [&](const BasicBlock *Block, BasicBlock *Next) {
    return cutAt(Next) || Map.count(Next) || (Loop && (Next == Loop->Exit || (Block == Loop->Latch && Next == From)));
  };
  SetVector<BasicBlock *> Region;
  Region.insert(From);
  for (size_t I = 0; I != Region.size(); ++I)
    for (BasicBlock *Next : successors(Region[I]))
      if (!Leaves(Region[I], Next))
        Region.insert(Next);
  SmallVector<BasicBlock *> Copies;
  for (BasicBlock *Block : Region) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, ".phase", &F);
    Copy->moveBefore(N.Next);
    Map[Block] = Copy;
    Copies.push_back(Copy);
  }
  DenseMap<unsigned, BasicBlock *> Stops;
  auto StopAt = [&](unsigned Cut) {
    BasicBlock *&Stop = Stops[Cut];
    if (!Stop)
      Stop = stop(N, Cut, StoresNext);
    return Stop;
  };
  for (auto [Block, Copy] : zip(Region, Copies)) {
    for (PHINode &Phi : Copy->phis())
      for (unsigned I = Phi.getNumIncomingValues(); I-- != 0;)
        if (!Region.contains(Phi.getIncomingBlock(I)))
          Phi.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
    Instruction *End = Copy->getTerminator();
    auto GoTo = [&](BasicBlock *To) { ReplaceInstWithInst(End, BranchInst::Create(To)); };
    if (isa<ReturnInst>(End)) {
      GoTo(StopAt(Done));
    } else if (Loop && Block == Loop->Header) {
      GoTo(Loop->First);
    } else if (Loop && Block == Loop->Latch) {
      GoTo(N.Next);
    } else {
      for (unsigned I = 0; I != End->getNumSuccessors(); ++I)
        if (std::optional<unsigned> Cut = cutAt(End->getSuccessor(I)))
          End->setSuccessor(I, StopAt(*Cut));
    }
  }
  remapInstructionsInBlocks(Copies, Map);
  for (BasicBlock *Copy : Copies)
    adopt(N, Copy);
  Builder.CreateBr(cast<BasicBlock>(Map[From]));
}

} // namespace kernix
