//===- Phases.cpp - runs the threads of a block phase by phase
//-------------------------------------------------------===//
//
// For every cut of the plan there is a loop over all threads that runs the code from there to the next cuts, and as
// long as all threads come to the same cut, one such loop follows the other; also with the first ones alone, when the
// others have returned. Where they do not (some are in another branch) the rounds are mixed: one loop over the threads
// that jumps to where each of them stands, with the runtime deciding between the rounds who may go on. The mixed loop
// holds the original blocks, the others copies.
//
// Blocks whose threads never wait, but step through data together, run side by side as one wide block: the steps of
// `i += gridDim.x * blockDim.x` then go straight over the data, which the processor's prefetchers follow.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Phases.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/GlobalIndex.h"
#include "CpuTarget/GridLoop.h"
#include "CpuTarget/InlineTree.h"
#include "CpuTarget/PhasePlan.h"
#include "CpuTarget/Rematerialize.h"
#include "CpuTarget/ThreadLoop.h"
#include "CpuTarget/Uniformity.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace kernix {

namespace {

constexpr unsigned Done = 0x7fffffff; // the cut of a thread that has returned
constexpr unsigned FrameRound = 64;   // threads that frames are laid out for: a multiple of it
constexpr uint64_t LargestFrame = 16384;
constexpr unsigned LargestCode = 30000; // instructions of all phases
constexpr unsigned MostStreams = 4;     // of which memory is asked for ahead
constexpr unsigned BlocksAhead = 4;
constexpr unsigned WidestStrip = 64; // blocks side by side
constexpr uint64_t KeptBytes = 64;   // of variables, by all blocks side by side for one thread of each

class PhaseLoops {
public:
  PhaseLoops(GridLoop &Grid, PhasePlan Plan, const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders,
             bool UsesShared)
      : Grid(Grid), Plan(std::move(Plan)), Uniform(*Grid.Made, this->Plan), Graph(Graph), PlaceReaders(PlaceReaders),
        Builder(Grid.Builder), Context(Grid.Context), F(*Grid.Made), UsesShared(UsesShared) {}
  /// Lays the frame out; false if it, or the code of all phases together, would be too large.
  bool prepare() {
    layOutFrame();
    unsigned Size = regionSize(Plan.Start);
    for (const Cut &C : Plan.Cuts)
      Size += regionSize(C.Block);
    StripBlocks = blocksSideBySide();
    return FrameBytes <= LargestFrame && Size <= LargestCode;
  }
  uint64_t build();
  bool areSideBySide() const { return StripBlocks > 1; }

private:
  /// A loop over the threads of the block, under construction.
  struct Nest {
    BasicBlock *Next, *After; // where a thread's turn ends; where the loop does
    Value *Thread[3];
    Value *Linear; // 64 bits
    DenseMap<AllocaInst *, Value *> Slots;
    Instruction *SlotsEnd; // addresses are computed before it
    bool IsMixed = false;  // its threads have uniform values of their own
  };
  Nest openNest(StringRef Name, bool IsMixed = false);
  void closeNest(Nest &N);
  Value *slot(Nest &N, AllocaInst *Slot);

  void layOutFrame();
  unsigned blocksSideBySide();
  void cloneRegion(Nest &N, BasicBlock *From, bool StoresNext, ValueToValueMapTy &Map, const StepLoop *Loop = nullptr);
  void adopt(Nest &N, BasicBlock *Block);
  BasicBlock *stop(Nest &N, unsigned Cut, bool StoresNext);
  std::optional<unsigned> cutAt(const BasicBlock *Block) const;
  SetVector<unsigned> reachableCuts(BasicBlock *From) const;
  SetVector<BasicBlock *> region(BasicBlock *From) const;
  unsigned regionSize(BasicBlock *From) const;
  bool asksRuntime(unsigned Cut) const;

  void emitPhase(BasicBlock *At, BasicBlock *From);
  void emitArrival(unsigned Cut);
  void emitShuffle(const kernix::Cut &Shuffle);
  void emitPermutation(ArrayRef<int> Lanes, Value *Count);
  void emitReads(Value *Count);
  void emitUniformTest(const SetVector<unsigned> &Cuts);
  void emitOutline(BasicBlock *From);
  bool keepInOutline(const Instruction &I) const;
  BasicBlock *toMixed(BasicBlock *Mixed);
  void cellsFromFirstThread();
  bool isUniformSlot(AllocaInst *Slot) const { return Uniform.staysTogether() && Uniform.slots().contains(Slot); }
  void emitMixed();
  void emitSteps(unsigned Cut);
  void emitPrefetch();
  void emitStep(const StepLoop &L, Value *Offset, Value *Moved);
  Value *emitSmallestStart(const StepLoop &L);
  Value *emitStepCheck(const StepLoop &L, Value *Step, Value *Bound, Value *Smallest);
  Value *reduceSlot(AllocaInst *Slot, Intrinsic::ID Operation);
  Value *slotBase(AllocaInst *Slot);
  Value *activeWidth();
  Value *activeThreads();
  Value *rematerializeIn(Nest &N, Value *V);
  Value *rematerializePerBlock(Value *V);

  GridLoop &Grid;
  PhasePlan Plan;
  Uniformity Uniform;
  const DeviceCallGraph &Graph;
  const FunctionSet &PlaceReaders;
  IRBuilder<> &Builder;
  LLVMContext &Context;
  Function &F;
  const bool UsesShared;
  unsigned StripBlocks = 1; // more than one: blocks side by side, one wide block
  SmallVector<BasicBlock *> Original;
  MapVector<AllocaInst *, std::pair<uint64_t, uint64_t>> Offsets; // in a frame, and bytes
  uint64_t FrameBytes = 0, KeptFrameBytes = 0;                    // all of it, and the kernel's own variables
  AllocaInst *Active = nullptr; // holds how many of Width have not returned; null: always all
  Value *Width = nullptr;       // threads in x
  Value *Frame = nullptr, *Threads = nullptr, *Rounded = nullptr;  // 64 bits
  MapVector<AllocaInst *, std::pair<Value *, AllocaInst *>> Cells; // by uniform slot: the block's, and a thread's copy
  SmallVector<Value *> BlockIdx;
  SmallVector<BasicBlock *> PhaseBlock, ArrivalBlock; // by cut
  BasicBlock *MixedBlock = nullptr, *MixedRound = nullptr, *BlockEnd = nullptr;
};

void PhaseLoops::layOutFrame() {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<AllocaInst *> Slots = {Plan.Slots.Result, Plan.Slots.Value, Plan.Slots.Next,
                                     Plan.Slots.Ready,  Plan.Slots.Mask,  Plan.Slots.Source};
  const size_t NumOwn = Slots.size();
  for (Instruction &I : F.getEntryBlock())
    if (auto *Slot = dyn_cast<AllocaInst>(&I); Slot && !is_contained(Slots, Slot))
      Slots.push_back(Slot);
  for (AllocaInst *Slot : Slots) {
    uint64_t Count = cast<ConstantInt>(Slot->getArraySize())->getZExtValue();
    uint64_t Bytes = alignTo(DL.getTypeAllocSize(Slot->getAllocatedType()) * Count, Slot->getAlign());
    Offsets[Slot] = {FrameBytes, Bytes};
    FrameBytes += Bytes;
    if (Offsets.size() > NumOwn)
      KeptFrameBytes += Bytes;
  }
}

/// How many blocks may run as one: their threads must know nothing of their block but their place in the grid.
unsigned PhaseLoops::blocksSideBySide() {
  if (UsesShared || any_of(Plan.Cuts, [](const Cut &C) { return C.Kind != WaitKind::Always; }))
    return 1;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Graph.mayReach(*Call, PlaceReaders))
      return 1;
  std::optional<SmallVector<Instruction *>> Indices = globalIndices(F);
  auto StartsAtIndex = [&](const StepLoop &L) {
    Value *Start = L.Start;
    while (isa<SExtInst, ZExtInst>(Start))
      Start = cast<CastInst>(Start)->getOperand(0);
    return is_contained(*Indices, Start);
  };
  if (!Indices || !all_of(Plan.Loops, StartsAtIndex))
    return 1;
  uint64_t Blocks = KeptFrameBytes == 0 ? WidestStrip : KeptBytes / KeptFrameBytes;
  return static_cast<unsigned>(std::clamp<uint64_t>(Blocks, 1, WidestStrip));
}

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
  BasicBlock *Body = BasicBlock::Create(Context, Name + ".body", &F, Latches[0]);
  N.SlotsEnd = Builder.CreateBr(Body);

  for (int Axis = 0; Axis != 3; ++Axis) {
    Builder.SetInsertPoint(Latches[Axis]);
    Value *Next = Builder.CreateAdd(Indices[Axis], Builder.getInt32(1), "", true, true);
    Indices[Axis]->addIncoming(Next, Latches[Axis]);
    Value *Count = Axis == 0 ? WidthOfNest : Grid.BlockDim[Axis];
    BranchInst *Branch = Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), Headers[Axis],
                                              Axis == 2 ? N.After : Latches[Axis + 1]);
    if (Axis == 0) {
      MDNode *Id =
          MDNode::getDistinct(Context, {nullptr, MDNode::get(Context, MDString::get(Context, ThreadLoopMarker))});
      Id->replaceOperandWith(0, Id);
      Branch->setMetadata(LLVMContext::MD_loop, Id);
    }
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

bool PhaseLoops::asksRuntime(unsigned Cut) const {
  if (Cut == Done)
    return false;
  const kernix::Cut &C = Plan.Cuts[Cut - 1];
  switch (C.Kind) {
  case WaitKind::Always:
  case WaitKind::Barrier:
    return false;
  case WaitKind::WarpSync:
  case WaitKind::WarpShuffle:
    return !C.IsFullWarp;
  default:
    return true;
  }
}

/// The loop over all threads from From on, at the end of At, and where it leads.
void PhaseLoops::emitPhase(BasicBlock *At, BasicBlock *From) {
  Builder.SetInsertPoint(At);
  SetVector<unsigned> Cuts = reachableCuts(From);
  if (Cuts.empty()) // every thread traps
    Cuts.insert(Done);
  bool StoresNext =
      any_of(Cuts, [&](unsigned Cut) { return asksRuntime(Cut); }) || (Cuts.size() > 1 && !Uniform.staysTogether());
  Nest N = openNest("phase");
  ValueToValueMapTy Map;
  cloneRegion(N, From, StoresNext, Map);
  closeNest(N);
  if (Uniform.staysTogether())
    emitOutline(From);
  else if (Cuts.size() == 1)
    Builder.CreateBr(Cuts[0] == Done ? BlockEnd : ArrivalBlock[Cuts[0]]);
  else
    emitUniformTest(Cuts);
}

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
  Value *Least = reduceSlot(Plan.Slots.Next, Intrinsic::umin);
  Value *Most = reduceSlot(Plan.Slots.Next, Intrinsic::umax);
  BasicBlock *Same = BasicBlock::Create(Context, "same", &F);
  Builder.CreateCondBr(Builder.CreateICmpEQ(Least, Most), Same, MixedBlock);
  Builder.SetInsertPoint(Same);
  SwitchInst *Switch = Builder.CreateSwitch(Least, MixedBlock);
  for (unsigned Cut : Cuts)
    Switch->addCase(Builder.getInt32(Cut), Cut == Done ? BlockEnd : ArrivalBlock[Cut]);
}

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
  Nest N = openNest("shuffle");
  Type *Int64 = Builder.getInt64Ty();
  Value *Source = Builder.CreateLoad(Builder.getInt32Ty(), slot(N, Plan.Slots.Source));
  Value *Values = slotBase(Plan.Slots.Value);
  Value *Lane = Builder.CreateAdd(Builder.CreateAnd(N.Linear, ~uint64_t{31}), Builder.CreateZExt(Source, Int64));
  Value *Exists =
      Builder.CreateAnd(Builder.CreateICmpULT(Source, Builder.getInt32(32)), Builder.CreateICmpULT(Lane, Count));
  Value *From = Builder.CreateSelect(Exists, Lane, N.Linear);
  Builder.CreateStore(Builder.CreateLoad(Int64, Builder.CreateInBoundsGEP(Int64, Values, From)),
                      slot(N, Plan.Slots.Result));
  Builder.CreateBr(N.Next);
  closeNest(N);
}

/// All threads are at Cut.
void PhaseLoops::emitArrival(unsigned Cut) {
  Builder.SetInsertPoint(ArrivalBlock[Cut]);
  if (asksRuntime(Cut)) {
    Builder.CreateBr(toMixed(MixedBlock));
    return;
  }
  const kernix::Cut &C = Plan.Cuts[Cut - 1];
  if (C.Kind == WaitKind::WarpShuffle)
    emitShuffle(C);
  Builder.CreateBr(PhaseBlock[Cut]);
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

/// Asks for the memory that the first phase of a later block reads. A block's phases are too long for the processor to
/// look beyond them, and each would begin with a wait for memory.
void PhaseLoops::emitPrefetch() {
  SmallPtrSet<const Value *, 8> Asked;
  for (BasicBlock *Block : region(Plan.Start))
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Pointer = Load ? dyn_cast<Instruction>(Load->getPointerOperand()) : nullptr;
      if (!Pointer || Asked.size() == MostStreams || !isa<Argument>(getUnderlyingObject(Pointer)) ||
          !canRematerialize(Pointer, Terms::OfThread) || !dependsOnThread(Pointer) || !Asked.insert(Pointer).second)
        continue;
      uint64_t Bytes = F.getDataLayout().getTypeStoreSize(Load->getType());
      BasicBlock *From = Builder.GetInsertBlock();
      BasicBlock *Loop = BasicBlock::Create(Context, "prefetch", &F);
      BasicBlock *After = BasicBlock::Create(Context, "prefetch.after", &F);
      Builder.CreateBr(Loop);
      Builder.SetInsertPoint(Loop);
      PHINode *Thread = Builder.CreatePHI(Builder.getInt32Ty(), 2);
      Thread->addIncoming(Builder.getInt32(0), From);
      Value *Later[] = {Builder.CreateAdd(BlockIdx[0], Builder.getInt32(BlocksAhead)), BlockIdx[1], BlockIdx[2]};
      Value *Place = rematerialize(Pointer, Builder, [&](GeometryItem Item) {
        return Grid.geometry(Item, Later, {Thread, Builder.getInt32(0), Builder.getInt32(0)});
      });
      Builder.CreateIntrinsic(Intrinsic::prefetch, {Place->getType()},
                              {Place, Builder.getInt32(0), Builder.getInt32(3), Builder.getInt32(1)});
      Value *Next = Builder.CreateAdd(Thread, Builder.getInt32(std::max<uint64_t>(1, 64 / Bytes)));
      Thread->addIncoming(Next, Loop);
      Builder.CreateCondBr(Builder.CreateICmpULT(Next, Grid.BlockDim[0]), Loop, After);
      // Behind the last block the address may be beyond the array, which is no poison here.
      for (Instruction &Copy : *Loop)
        Copy.dropPoisonGeneratingFlags();
      Builder.SetInsertPoint(After);
    }
}

uint64_t PhaseLoops::build() {
  BasicBlock *Allocas = &F.getEntryBlock();
  for (BasicBlock &Block : F)
    if (&Block != Allocas)
      Original.push_back(&Block);

  Builder.SetInsertPoint(BasicBlock::Create(Context, "grid", &F, Allocas));
  Type *Int64 = Builder.getInt64Ty();
  BasicBlock *Entry = Builder.GetInsertBlock();
  Grid.open(/*Width=*/0, StripBlocks);
  Instruction *AllocasEnd = Entry->getTerminator();
  Builder.SetInsertPoint(AllocasEnd);
  Frame = Builder.CreateLoad(Builder.getPtrTy(), stateField(Builder, Grid.Layout, Grid.State, SF_Frame));
  Width = Grid.BlockDim[0];
  if (StripBlocks > 1) {
    Builder.SetInsertPoint(Grid.StripHeader);
    Width = Builder.CreateNUWMul(Grid.StripLength, Width);
  }
  if (any_of(Plan.Cuts, [](const Cut &C) { return C.Kind != WaitKind::Always; }))
    Active = new AllocaInst(Builder.getInt32Ty(), 0, "active", AllocasEnd->getIterator());
  Threads =
      Builder.CreateZExt(Builder.CreateNUWMul(Builder.CreateNUWMul(Width, Grid.BlockDim[1]), Grid.BlockDim[2]), Int64);
  Rounded = Builder.CreateAnd(Builder.CreateAdd(Threads, Builder.getInt64(FrameRound - 1)), ~uint64_t{FrameRound - 1});
  for (auto &[Slot, Place] : Offsets)
    if (isUniformSlot(Slot)) {
      // Cells lie in the frame behind the slots: memory that the loops over the threads do not write.
      Value *Cell =
          Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Frame,
                                    Builder.CreateAdd(Builder.CreateNUWMul(Rounded, Builder.getInt64(FrameBytes)),
                                                      Builder.getInt64(Cells.size() * 64)));
      Cells[Slot] = {Cell, new AllocaInst(Slot->getAllocatedType(), 0, "", AllocasEnd->getIterator())};
    }
  BlockIdx.assign(std::begin(Grid.StripStart), std::end(Grid.StripStart));

  auto Make = [&](const Twine &Name) { return BasicBlock::Create(Context, Name, &F); };
  for (unsigned Cut = 0; Cut <= Plan.Cuts.size(); ++Cut) {
    PhaseBlock.push_back(Make("phase." + Twine(Cut)));
    ArrivalBlock.push_back(Cut == 0 ? nullptr : Make("arrive." + Twine(Cut)));
  }
  MixedBlock = Make("mixed");
  MixedRound = Make("mixed.round");
  BlockEnd = Make("block.end");
  Builder.SetInsertPoint(Grid.StripHeader);
  if (Active)
    Builder.CreateStore(Width, Active);
  if (StripBlocks == 1)
    emitPrefetch();
  Builder.CreateBr(PhaseBlock[0]);
  emitPhase(PhaseBlock[0], Plan.Start);
  for (unsigned Cut = 1; Cut <= Plan.Cuts.size(); ++Cut) {
    emitArrival(Cut);
    if (Plan.Cuts[Cut - 1].Loop >= 0)
      emitSteps(Cut);
    else
      emitPhase(PhaseBlock[Cut], Plan.Cuts[Cut - 1].Block);
  }
  emitMixed();
  Builder.SetInsertPoint(BlockEnd);
  Builder.CreateBr(Grid.StripLatch);
  Grid.close();
  EliminateUnreachableBlocks(F);
  // One slot more is room for the cells: 64 threads have at least 64 bytes of it each.
  return (FrameBytes + (Cells.empty() ? 0 : Cells.size())) * StripBlocks;
}

} // namespace

PhasedKernel buildPhases(Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                         const FunctionSet &PlaceReaders, const FunctionSet &Waiting, bool UsesShared,
                         FunctionAnalysisManager &FAM) {
  GridLoop Grid(Kernel, Layout);
  Function &F = *Grid.Made;
  callKernel(Grid.Builder, Kernel);
  Grid.Builder.CreateRetVoid();
  inlineTree(F);
  // `__restrict__` speaks of one thread; behind a barrier another one may use the same memory by another pointer.
  for (Argument &Parameter : F.args())
    if (Parameter.hasNoAliasAttr() && !Parameter.onlyReadsMemory())
      Parameter.removeAttr(Attribute::NoAlias);
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !Graph.mayReach(*Call, Waiting)) {
      Call->setNotConvergent();
      if (Function *Callee = calledFunction(*Call); Callee && geometryItem(*Callee))
        Call->addFnAttr(Attribute::Speculatable);
    }

  std::optional<PhasePlan> Plan = PhasePlan::make(F, Graph, Waiting, FAM);
  PhasedKernel Result = {nullptr};
  if (Plan) {
    PhaseLoops Loops(Grid, std::move(*Plan), Graph, PlaceReaders, UsesShared);
    if (Loops.prepare())
      Result = {&F, Loops.build(), Loops.areSideBySide()};
    // Rather no code than wrong code.
    if (Result.Blocks && verifyFunction(F))
      F.getContext().emitError("kernix: internal error: broken phases of kernel '" + Kernel.getName() + "'");
  }
  FAM.clear(F, F.getName());
  if (!Result.Blocks)
    F.eraseFromParent();
  return Result;
}

} // namespace kernix
