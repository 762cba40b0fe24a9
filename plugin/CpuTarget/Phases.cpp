//===- Phases.cpp - runs the threads of a block phase by phase ---------------------------------------------------===//
//
// For every cut of the plan there is a loop over all threads that runs the code from there to the next cuts, and as
// long as all threads come to the same cut, one such loop follows the other; also with the first ones alone, when the
// others have returned. Where they do not (some are in another branch) the rounds are mixed: one loop over the threads
// that jumps to where each of them stands, with the runtime deciding between the rounds who may go on. The mixed loop
// holds the original blocks, the others copies.
//
// Where threads wait for their warp only, and might part from the others of the block, each warp runs for itself: what
// warps decide each for itself, all of its threads decide alike.
//
// Blocks whose threads never wait, but step through data together, run side by side as one wide block: the steps of
// `i += gridDim.x * blockDim.x` then go straight over the data, which the processor's prefetchers follow.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Phases.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/GlobalIndex.h"
#include "CpuTarget/GridLoop.h"
#include "CpuTarget/InlineTree.h"
#include "CpuTarget/PhaseLoops.h"
#include "CpuTarget/Rematerialize.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kernix {

static constexpr unsigned FrameRound = 64; // threads that frames are laid out for: a multiple of it
static constexpr uint64_t LargestFrame = 16384;
static constexpr unsigned LargestCode = 30000; // instructions of all phases
static constexpr unsigned WarpSize = 32;
static constexpr unsigned MostStreams = 4; // of which memory is asked for ahead
static constexpr unsigned BlocksAhead = 4;
static constexpr unsigned WidestStrip = 64; // blocks side by side
static constexpr uint64_t KeptBytes = 64;   // of variables, by all blocks side by side for one thread of each

bool PhaseLoops::prepare() {
  layOutFrame();
  unsigned Size = regionSize(Plan.Start);
  for (const Cut &C : Plan.Cuts)
    Size += regionSize(C.Block);
  StripBlocks = blocksSideBySide();
  IsWarpByWarp = mayRunWarpByWarp();
  return FrameBytes <= LargestFrame && Size <= LargestCode;
}

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

bool PhaseLoops::mayRunWarpByWarp() const {
  return !Uniform.staysTogether() && all_of(Plan.Cuts, [](const Cut &C) {
    return C.Kind != WaitKind::Always && C.Kind != WaitKind::Barrier && C.Kind != WaitKind::BarrierReduce;
  });
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

void PhaseLoops::countThreads() {
  Type *Int64 = Builder.getInt64Ty();
  Threads =
      Builder.CreateZExt(Builder.CreateNUWMul(Builder.CreateNUWMul(Width, Grid.BlockDim[1]), Grid.BlockDim[2]), Int64);
  Rounded = Builder.CreateAnd(Builder.CreateAdd(Threads, Builder.getInt64(FrameRound - 1)), ~uint64_t{FrameRound - 1});
}

/// Begins the loop over the warps of the block, if it has one row; otherwise its one turn has all threads.
BasicBlock *PhaseLoops::openWarps() {
  BasicBlock *From = Builder.GetInsertBlock(), *Header = BasicBlock::Create(Context, "warp", &F);
  Builder.CreateBr(Header);
  Builder.SetInsertPoint(Header);
  PHINode *First = Builder.CreatePHI(Builder.getInt32Ty(), 2);
  First->addIncoming(Builder.getInt32(0), From);
  FirstThread = First;
  Value *IsRow = Builder.CreateICmpEQ(Builder.CreateNUWMul(Grid.BlockDim[1], Grid.BlockDim[2]), Builder.getInt32(1));
  Value *Left = Builder.CreateNUWSub(Grid.BlockDim[0], First);
  Value *Lanes = Builder.CreateBinaryIntrinsic(Intrinsic::umin, Left, Builder.getInt32(WarpSize));
  Width = Builder.CreateSelect(IsRow, Lanes, Left);
  countThreads();
  return Header;
}

void PhaseLoops::closeWarps(BasicBlock *Header) {
  Value *Next = Builder.CreateNUWAdd(FirstThread, Width);
  cast<PHINode>(FirstThread)->addIncoming(Next, Builder.GetInsertBlock());
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Grid.BlockDim[0]), Header, Grid.StripLatch);
}

uint64_t PhaseLoops::build() {
  BasicBlock *Allocas = &F.getEntryBlock();
  for (BasicBlock &Block : F)
    if (&Block != Allocas)
      Original.push_back(&Block);

  Builder.SetInsertPoint(BasicBlock::Create(Context, "grid", &F, Allocas));
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
  countThreads();
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
  if (StripBlocks == 1)
    emitPrefetch();
  BasicBlock *Warps = IsWarpByWarp ? openWarps() : nullptr;
  if (Active)
    Builder.CreateStore(Width, Active);
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
  if (Warps)
    closeWarps(Warps);
  else
    Builder.CreateBr(Grid.StripLatch);
  Grid.close();
  EliminateUnreachableBlocks(F);
  // One slot more is room for the cells: 64 threads have at least 64 bytes of it each.
  return (FrameBytes + (Cells.empty() ? 0 : Cells.size())) * StripBlocks;
}

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
        Callee->setSpeculatable();
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
