//===- PhasePlan.cpp - cuts a kernel where its threads wait ------------------------------------------------------===//

#include "CpuTarget/PhasePlan.h"
#include "CpuTarget/ConstantLanes.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/Rematerialize.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace kernix {

namespace {

/// Each phase is a copy of the code that it may run; kernels of this size gain nothing.
constexpr unsigned LargestBody = 5000;
constexpr unsigned MostCuts = 128;
constexpr unsigned SmallestStep = 32;
constexpr unsigned MostTurns = 11; // of a loop that is unrolled: halving a block of 1024 threads
constexpr unsigned MostUnrolledCuts = 32;
constexpr unsigned LargestUnrolled = 1500;
constexpr unsigned LargestUnrolledNest = 2500; // of loops that never wait

bool isFullMask(const Value *Mask) {
  const auto *Constant = dyn_cast<ConstantInt>(Mask);
  return Constant && Constant->isMinusOne();
}

} // namespace

std::optional<WaitKind> waitKind(const Function &F) {
  return StringSwitch<std::optional<WaitKind>>(F.getName())
      .Case("kernix_cpu_barrier", WaitKind::Barrier)
      .Case("kernix_cpu_barrier_reduce", WaitKind::BarrierReduce)
      .Case("kernix_cpu_warp_sync", WaitKind::WarpSync)
      .Case("kernix_cpu_warp_shuffle", WaitKind::WarpShuffle)
      .Case("kernix_cpu_warp_ballot", WaitKind::WarpBallot)
      .Case("kernix_cpu_warp_match", WaitKind::WarpMatch)
      .Default(std::nullopt);
}

bool PhasePlan::checkBody(const DeviceCallGraph &Graph, const FunctionSet &Waiting) const {
  if (Body->getInstructionCount() > LargestBody)
    return false;
  for (const Instruction &I : instructions(*Body)) {
    if (isa<InvokeInst, CallBrInst, IndirectBrInst>(I))
      return false;
    if (const auto *Slot = dyn_cast<AllocaInst>(&I); Slot && !Slot->isStaticAlloca())
      return false;
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    const Function *Callee = calledFunction(*Call);
    // A thread that sleeps lets others go on, which phases cannot.
    if (Callee && Callee->getName() == "kernix_cpu_nanosleep")
      return false;
    if (Graph.mayReach(*Call, Waiting) && !(Callee && waitKind(*Callee)))
      return false;
  }
  return true;
}

/// How many waits and instructions L has.
static std::pair<unsigned, unsigned> waitsAndSize(const Loop &L) {
  unsigned Waits = 0, Size = 0;
  for (const BasicBlock *Block : L.blocks()) {
    Size += Block->size();
    for (const Instruction &I : *Block)
      if (const auto *Call = dyn_cast<CallInst>(&I))
        if (const Function *Callee = calledFunction(*Call))
          Waits += waitKind(*Callee).has_value();
  }
  return {Waits, Size};
}

/// How often Block is run in a run of L; too often where that is not known.
static uint64_t timesRun(const BasicBlock &Block, const Loop &L, const LoopInfo &LI, ScalarEvolution &SE) {
  uint64_t Times = 1;
  for (const Loop *Around = LI.getLoopFor(&Block); L.contains(Around); Around = Around->getParentLoop()) {
    unsigned Turns = SE.getSmallConstantTripCount(Around);
    if (Turns == 0 || Times > LargestUnrolledNest)
      return LargestUnrolledNest + 1;
    Times *= Turns;
  }
  return Times;
}

/// Unrolls two kinds of short loops. True if there were any.
///
/// - Those that wait in each turn (`for (offset = 16; offset > 0; offset /= 2)`): all threads leave them together, and
///   what differs from turn to turn are constants.
///
/// - Those that never wait, with all loops in them: the threads' loop is then one of vectors, and arrays that have
///   constant indices become variables, of which those of all threads lie side by side. Not in a longer loop of the
///   thread: there a thread's array is better in one piece.
bool PhasePlan::unrollShortLoops(FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(*Body);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*Body);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(*Body);
  auto &AC = FAM.getResult<AssumptionAnalysis>(*Body);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*Body);
  OptimizationRemarkEmitter ORE(Body);
  SmallVector<Loop *> Short;
  for (Loop *L : LI.getLoopsInPreorder()) {
    auto [Waits, Size] = waitsAndSize(*L);
    const Loop *Parent = L->getParentLoop();
    if (Waits != 0) {
      unsigned Turns = SE.getSmallConstantTripCount(L);
      if (L->isInnermost() && Turns != 0 && Turns <= MostTurns && Turns * Waits <= MostUnrolledCuts &&
          Turns * Size <= LargestUnrolled)
        Short.push_back(L);
    } else if (!Parent || waitsAndSize(*Parent).first != 0) {
      uint64_t Unrolled = 0;
      for (BasicBlock *Block : L->blocks())
        Unrolled = SaturatingAdd(Unrolled, timesRun(*Block, *L, LI, SE) * Block->size());
      if (Unrolled <= LargestUnrolledNest)
        append_range(Short, reverse(L->getLoopsInPreorder())); // inner ones first
    }
  }
  for (Loop *L : Short) {
    UnrollLoopOptions Options = {};
    // Those inside it have become other code.
    Options.Count = SE.getSmallConstantTripCount(L);
    if (Options.Count == 0)
      continue;
    UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE, /*PreserveLCSSA=*/true);
  }
  if (!Short.empty())
    FAM.invalidate(*Body, PreservedAnalyses::none());
  return !Short.empty();
}

/// Few values live across waits in optimised code, and step loops show their form. Nothing is rotated.
void PhasePlan::simplify(FunctionAnalysisManager &FAM) {
  clean(FAM);
  if (unrollShortLoops(FAM))
    clean(FAM);
  for (Instruction &I : make_early_inc_range(instructions(*Body))) {
    I.dropDbgRecords(); // they name values that will live elsewhere; lines stay
    // Frames do not end where a copy of the code says that a variable does.
    if (I.isLifetimeStartOrEnd())
      I.eraseFromParent();
  }
}

void PhasePlan::clean(FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(ADCEPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  PreservedAnalyses Preserved = FPM.run(*Body, FAM);
  FAM.invalidate(*Body, Preserved);
}

void PhasePlan::makeSlots() {
  BasicBlock &Entry = Body->getEntryBlock();
  auto FirstCode = find_if(Entry, [](const Instruction &I) { return !isa<AllocaInst>(I); });
  Start = SplitBlock(&Entry, FirstCode);
  // Allocas further down come from inlining; all stand before Start from now on.
  for (Instruction &I : make_early_inc_range(*Start))
    if (isa<AllocaInst>(I))
      I.moveBefore(Entry.getTerminator()->getIterator());
  IRBuilder<> Builder(Entry.getTerminator());
  Type *Int32 = Builder.getInt32Ty(), *Int64 = Builder.getInt64Ty();
  Slots.Result = Builder.CreateAlloca(Int64);
  Slots.Value = Builder.CreateAlloca(Int64);
  Slots.Next = Builder.CreateAlloca(Int32);
  Slots.Ready = Builder.CreateAlloca(Int32);
  Slots.Mask = Builder.CreateAlloca(Int32);
  Slots.Source = Builder.CreateAlloca(Int32);
}

/// Replaces every waiting call by stores of what it asks for, and loads of the answer where the thread goes on.
bool PhasePlan::cutAtWaits() {
  SmallVector<CallInst *> Waits;
  for (Instruction &I : instructions(*Body))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = calledFunction(*Call); Callee && waitKind(*Callee))
        Waits.push_back(Call);
  if (Waits.size() > MostCuts)
    return false;
  for (CallInst *Call : Waits) {
    Cut New;
    New.Kind = *waitKind(*calledFunction(*Call));
    IRBuilder<> Builder(Call);
    Value *First = Call->arg_size() > 0 ? Call->getArgOperand(0) : nullptr;
    switch (New.Kind) {
    case WaitKind::Always:
    case WaitKind::Barrier:
      break;
    case WaitKind::BarrierReduce:
      Builder.CreateStore(First, Slots.Source);
      Builder.CreateStore(Builder.CreateZExt(Call->getArgOperand(1), Builder.getInt64Ty()), Slots.Value);
      break;
    case WaitKind::WarpShuffle:
      Builder.CreateStore(Call->getArgOperand(2), Slots.Source);
      New.Lanes = constantLanes(*Call->getArgOperand(2), Body->getDataLayout());
      [[fallthrough]];
    case WaitKind::WarpBallot:
    case WaitKind::WarpMatch:
      Builder.CreateStore(Builder.CreateZExt(Call->getArgOperand(1), Builder.getInt64Ty()), Slots.Value);
      [[fallthrough]];
    case WaitKind::WarpSync:
      Builder.CreateStore(First, Slots.Mask);
      New.IsFullWarp = isFullMask(First);
    }
    New.Block = SplitBlock(Call->getParent(), Call->getNextNode());
    if (!Call->use_empty()) {
      Builder.SetInsertPoint(New.Block, New.Block->begin());
      Value *Result = Builder.CreateLoad(Builder.getInt64Ty(), Slots.Result);
      Call->replaceAllUsesWith(Builder.CreateTruncOrBitCast(Result, Call->getType()));
    }
    Call->eraseFromParent();
    Cuts.push_back(New);
  }
  return true;
}

bool PhasePlan::matchStepLoop(Loop &L, StepLoop &Result) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  auto *Branch = dyn_cast<BranchInst>(Header->getTerminator());
  if (!L.getLoopPreheader() || !Latch || Latch == Header || L.getExitingBlock() != Header || !Branch ||
      !Branch->isConditional() || !L.getUniqueExitBlock())
    return false;
  for (const Instruction &I : *Header)
    if (I.mayHaveSideEffects())
      return false;
  for (const BasicBlock *Block : L.blocks())
    if (any_of(Cuts, [&](const Cut &C) { return C.Block == Block; }) ||
        any_of(Loops, [&](const StepLoop &Other) { return Other.Header == Block; }))
      return false;

  auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Compare)
    return false;
  bool StaysWhen = L.contains(Branch->getSuccessor(0));
  CmpInst::Predicate Predicate = StaysWhen ? Compare->getPredicate() : Compare->getInversePredicate();
  Value *Left = Compare->getOperand(0), *Bound = Compare->getOperand(1);
  if (!isa<PHINode>(Left)) {
    std::swap(Left, Bound);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  auto *Index = dyn_cast<PHINode>(Left);
  if (!Index || Index->getParent() != Header || !CmpInst::isRelational(Predicate) ||
      !(Predicate == CmpInst::ICMP_SLT || Predicate == CmpInst::ICMP_SLE || Predicate == CmpInst::ICMP_ULT ||
        Predicate == CmpInst::ICMP_ULE))
    return false;
  unsigned Bits = Index->getType()->getIntegerBitWidth();
  auto *Next = dyn_cast<BinaryOperator>(Index->getIncomingValueForBlock(Latch));
  if ((Bits != 32 && Bits != 64) || !Next || Next->getOpcode() != Instruction::Add)
    return false;
  Value *Step = Next->getOperand(0) == Index ? Next->getOperand(1) : Next->getOperand(0);
  if (Next->getOperand(0) != Index && Next->getOperand(1) != Index)
    return false;
  // The step must be one of many threads, and the start one's own.
  const auto *ConstantStep = dyn_cast<ConstantInt>(Step);
  Value *Start = Index->getIncomingValueForBlock(L.getLoopPreheader());
  if ((ConstantStep && ConstantStep->getValue().slt(SmallestStep)) || !canRematerialize(Step, Terms::OfBlock) ||
      !canRematerialize(Bound, Terms::OfBlock) || !canRematerialize(Start, Terms::OfThread) || !dependsOnThread(Start))
    return false;
  for (const User *U : Index->users())
    if (!L.contains(cast<Instruction>(U)))
      return false;
  Result = {nullptr,
            Header,
            Branch->getSuccessor(StaysWhen ? 0 : 1),
            Latch,
            Branch->getSuccessor(StaysWhen ? 1 : 0),
            Index,
            Start,
            Step,
            Bound,
            Predicate == CmpInst::ICMP_SLT || Predicate == CmpInst::ICMP_SLE,
            Predicate == CmpInst::ICMP_SLE || Predicate == CmpInst::ICMP_ULE};
  return true;
}

/// Gives the loop blocks of its own before and behind it, and keeps its variables but the index in memory.
void PhasePlan::isolate(StepLoop &Loop, BasicBlock *Preheader) {
  LLVMContext &Context = Body->getContext();
  auto Insert = [&](BasicBlock *From, BasicBlock *To, StringRef Name) {
    BasicBlock *Between = BasicBlock::Create(Context, Name, Body, To);
    BranchInst::Create(To, Between)->setDebugLoc(From->getTerminator()->getDebugLoc());
    From->getTerminator()->replaceSuccessorWith(To, Between);
    To->replacePhiUsesWith(From, Between);
    return Between;
  };
  Loop.Enter = Insert(Preheader, Loop.Header, "steps.enter");
  Loop.Exit = Insert(Loop.Header, Loop.Exit, "steps.exit");
  BasicBlock::iterator Slots = Body->getEntryBlock().getTerminator()->getIterator();
  for (PHINode &Phi : make_early_inc_range(Loop.Header->phis())) {
    if (&Phi == Loop.Index)
      continue;
    AllocaInst *Slot = DemotePHIToStack(&Phi, Slots);
    // Behind the loop the variable is still there.
    for (User *U : make_early_inc_range(Slot->users())) {
      auto *Load = dyn_cast<LoadInst>(U);
      if (!Load || Load->getParent() != Loop.Header)
        continue;
      IRBuilder<> Builder(Loop.Exit, Loop.Exit->begin());
      LoadInst *Last = Builder.CreateLoad(Load->getType(), Slot);
      Load->replaceUsesWithIf(Last, [&](Use &Use) {
        auto *Phi = dyn_cast<PHINode>(Use.getUser());
        return Phi && Phi->getIncomingBlock(Use) == Loop.Exit;
      });
      if (Last->use_empty())
        Last->eraseFromParent();
    }
  }
}

void PhasePlan::findStepLoops(FunctionAnalysisManager &FAM) {
  FAM.clear(*Body, Body->getName());
  auto &LI = FAM.getResult<LoopAnalysis>(*Body);
  SmallVector<BasicBlock *> Preheaders;
  // Outer loops first; a loop in a step loop is left as it is.
  for (Loop *L : LI.getLoopsInPreorder()) {
    bool Inside = any_of(Loops, [&](const StepLoop &Other) {
      Loop *Outer = LI.getLoopFor(Other.Header);
      return Outer && Outer->contains(L);
    });
    StepLoop Found;
    if (!Inside && Cuts.size() < MostCuts && matchStepLoop(*L, Found)) {
      Loops.push_back(Found);
      Preheaders.push_back(L->getLoopPreheader());
    }
  }
  for (size_t I = 0; I != Loops.size(); ++I) {
    isolate(Loops[I], Preheaders[I]);
    Cuts.push_back({Loops[I].Enter, WaitKind::Always, false, static_cast<int>(I)});
  }
  FAM.clear(*Body, Body->getName());
}

/// True if I may be used in another phase than the one that computed it.
bool PhasePlan::livesAcrossCut(Instruction &I) const {
  SmallPtrSet<const BasicBlock *, 16> UsedIn;
  for (const Use &U : I.uses()) {
    auto *User = cast<Instruction>(U.getUser());
    UsedIn.insert(isa<PHINode>(User) ? cast<PHINode>(User)->getIncomingBlock(U) : User->getParent());
  }
  auto IsCut = [&](const BasicBlock *From, const BasicBlock *To) {
    return any_of(Cuts, [&](const Cut &C) { return C.Block == To; }) || any_of(Loops, [&](const StepLoop &L) {
             return (To == L.Header && (From == L.Enter || From == L.Latch)) || To == L.Exit;
           });
  };
  // Blocks reached without and with a cut on the way. Every path ends where I is computed anew.
  SmallPtrSet<BasicBlock *, 32> Seen[2];
  SmallVector<std::pair<BasicBlock *, bool>> Work = {{I.getParent(), false}};
  while (!Work.empty()) {
    auto [Block, Crossed] = Work.pop_back_val();
    if (Crossed && UsedIn.contains(Block) && Block != I.getParent())
      return true;
    for (BasicBlock *Next : successors(Block)) {
      bool NextCrossed = Crossed || IsCut(Block, Next);
      if (Next == I.getParent()) {
        // A use by a phi of the same block, over an edge that is a cut.
        continue;
      }
      if (Seen[NextCrossed].insert(Next).second)
        Work.push_back({Next, NextCrossed});
    }
  }
  return false;
}

/// Computes values again, or moves them to memory, where they would live across a cut.
void PhasePlan::keepValues() {
  SmallVector<Instruction *> Crossing;
  for (BasicBlock &Block : *Body)
    for (Instruction &I : Block)
      if (!isa<AllocaInst>(I) && !I.use_empty() && livesAcrossCut(I))
        Crossing.push_back(&I);
  for (Instruction *I : Crossing) {
    bool IsIndex = any_of(Loops, [&](const StepLoop &L) { return L.Index == I; });
    if (IsIndex)
      continue;
    if (!canRematerialize(I, Terms::OfItsFunction)) {
      DemoteRegToStack(*I, false, Body->getEntryBlock().getTerminator()->getIterator());
      continue;
    }
    SmallVector<Use *> Uses;
    for (Use &U : I->uses())
      Uses.push_back(&U);
    for (Use *U : Uses) {
      auto *User = cast<Instruction>(U->getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      BasicBlock *Where = Phi ? Phi->getIncomingBlock(*U) : User->getParent();
      if (Where == I->getParent() || U->get() != I)
        continue;
      IRBuilder<> Builder(Phi ? Where->getTerminator() : User);
      Value *Again = rematerialize(I, Builder);
      if (Phi) // all its entries for one block have one value
        Phi->setIncomingValueForBlock(Where, Again);
      else
        U->set(Again);
    }
  }
}

std::optional<PhasePlan> PhasePlan::make(Function &Body, const DeviceCallGraph &Graph, const FunctionSet &Waiting,
                                         FunctionAnalysisManager &FAM) {
  PhasePlan Plan(Body);
  if (!Plan.checkBody(Graph, Waiting))
    return std::nullopt;
  Plan.simplify(FAM);
  Plan.makeSlots();
  if (!Plan.cutAtWaits())
    return std::nullopt;
  Plan.findStepLoops(FAM);
  if (Plan.Cuts.empty())
    return std::nullopt;
  Plan.keepValues();
  return Plan;
}

} // namespace kernix
