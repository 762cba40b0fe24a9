//===- Reverse.cpp - control flow of backward functions ---------------------------------------------------------===//

#include "Derivative/Reverse/Reverse.h"
#include "Derivative/Accumulation/FixedOrder.h"
#include "Derivative/Analysis/WarpDecisions.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Libdevice.h"
#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Loops/LoopRemarks.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "Derivative/Shared/SharedLoops.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

ReverseWriter::ReverseWriter(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                             Activity &Active, const Need &Needed, const SharedContents &Contents,
                             const CollectivePaths &Paths, const UniformValues &Uniform, const LoopPlans &Plans,
                             const SingleStores &Stores, const RepeatedStores &Repeated, const OwnReads &Own,
                             Accumulation &Accumulations, const FloatGradients &Floats,
                             const FloatShadows &ShadowsInFloat, const ScratchGradients &Scratch,
                             const BlockSums &OverBlock, const SharedTurnPlans &Turns, const SharedSumPlans &Sums,
                             const LaneSums &Lanes, SharedWriters &Writers, FunctionAnalysisManager &FAM,
                             Refusals &Refused, UsualLaunch &Usual)
    : Request(Request), P(P), Objects(Objects), Active(Active), Needed(Needed), Contents(Contents), Paths(Paths),
      Uniform(Uniform), Plans(Plans), Stores(Stores), Repeated(Repeated), Own(Own), Accumulations(Accumulations),
      Floats(Floats), ShadowsInFloat(ShadowsInFloat), Scratch(Scratch), OverBlock(OverBlock), Turns(Turns), Sums(Sums),
      Lanes(Lanes), Writers(Writers), Chosen(*P.F), Loops(FAM.getResult<LoopAnalysis>(*P.F)), Refused(Refused),
      Usual(Usual), Body(*Request.Body), Context(P.F->getContext()), DL(P.F->getDataLayout()),
      CountType(P.F->getParent()->getTargetTriple().isNVPTX() ? Type::getInt32Ty(Context) : Type::getInt64Ty(Context)),
      Places(Body), B(Context), Entry(Context), Arguments(Request, P, Entry),
      TurnTests(Accumulations.forms(), Arguments, Entry), StoreTests(Stores.forms(), Arguments, Entry),
      ViewTests(Repeated.forms(), Arguments, Entry), OwnTests(Own.forms(), Arguments, Entry),
      Shared(Request, ShadowsInFloat, Entry), Addresses(Objects, Arguments, Shared, ShadowsInFloat, Refused, B, Entry,
                                                        [this](Value *V) { return valueOf(V); }) {
  // red.global.add.v4.f32 is there from sm_90 on. Of a device function nobody knows that its memory is global.
  HasVectorAtomics = Request.Kind == DerivativeRequest::Kernel && !Accumulations.isAllAtomic() &&
                     P.F->getParent()->getTargetTriple().isNVPTX() && architectureOf(Body) >= 900;
}

AllocaInst *ReverseWriter::newVariable(Type *T, const Twine &Name, Constant *Initial) {
  BasicBlock &First = Body.getEntryBlock();
  auto *Variable = new AllocaInst(T, DL.getAllocaAddrSpace(), nullptr, DL.getPrefTypeAlign(T), Name, First.begin());
  if (Initial)
    Entry.CreateStore(Initial, Variable);
  return Variable;
}

BasicBlock *ReverseWriter::newBlock(const Twine &Name) { return BasicBlock::Create(Context, Name, &Body); }

void ReverseWriter::fail(const Instruction &Where, StringRef Message) {
  failLaunch(B, Request, Where.getDebugLoc().get(), Message);
}

Region &ReverseWriter::regionOf(const BasicBlock *Block) { return *RegionOfLoop[Loops.getLoopFor(Block)]; }

unsigned ReverseWriter::exitNumber(const Region &R, const BasicBlock *From, const BasicBlock *To) const {
  for (unsigned K = 0; K < R.Exits.size(); ++K)
    if (R.Exits[K].first == From && R.Exits[K].second == To)
      return K + 1;
  return 0;
}

void ReverseWriter::makeRegions() {
  auto Add = [&](Loop *L) -> Region & {
    Regions.push_back(std::make_unique<Region>());
    RegionOfLoop[L] = Regions.back().get();
    return *Regions.back();
  };
  Add(nullptr);
  for (Loop *L : Loops.getLoopsInPreorder()) {
    Region &R = Add(L);
    R.L = L;
    R.Parent = RegionOfLoop[L->getParentLoop()];
    R.Parent->Children.push_back(&R);
    R.Plan = &Plans.of(L);
    L->getExitEdges(R.Exits);
  }
  for (BasicBlock &Block : *P.F)
    regionOf(&Block).Blocks.push_back(&Block);
}

void ReverseWriter::write(FunctionAnalysisManager &FAM) {
  GlobalValue::LinkageTypes Linkage = Body.getLinkage();
  Body.deleteBody();
  Body.setLinkage(Linkage);
  Places.describe();
  BasicBlock *First = newBlock("entry"), *Start = newBlock("start"), *Return = newBlock("return");
  RepeatsBlocks = canRepeatBlocks();
  BasicBlock *Turn = RepeatsBlocks ? newBlock("block.next") : Return;
  Entry.SetInsertPoint(BranchInst::Create(Start, First));
  ReturnInst::Create(Context, Return);
  B.SetInsertPoint(Start);
  B.SetCurrentDebugLocation(Places.ofRest());
  makeRegions();
  planAdditions();
  planGradientSums(FAM);
  planTurns();
  planSharedSums();
  planLaneSums(FAM);
  planLateAdjoints(FAM);
  checkOwnReads();
  if (Request.IsDifferentiated) {
    checkUndone();
    checkSharedStores();
  }
  for (auto &R : Regions)
    if (R->L && R->Plan->Order != LoopPlan::Nothing)
      makeTape(*R);
  Region &Whole = *Regions.front();
  copyForward(Whole, WholeFunction, nullptr);
  BasicBlock *End = B.GetInsertBlock();
  reverseRegion(Whole, Turn);
  B.SetInsertPoint(End);
  BasicBlock *Last = nullptr;
  for (BasicBlock &Block : *P.F)
    if (isa<ReturnInst>(Block.getTerminator()))
      Last = &Block;
  if (Last)
    B.CreateBr(Reversed[Last]);
  else
    B.CreateUnreachable();
  if (RepeatsBlocks)
    repeatBlocks(*First, *Start, *Turn, *Return);
  Shared.clearAll(*First);
  Shared.divideDynamic();
  Addresses.checkStrides(Request);
  Places.finish();
  Arguments.describe(Usual, [this](const MemoryObject &O) {
    return O.TheLeaf->Access == Leaf::In && !PlainTests.contains(&O) ? UsualLaunch::Others::MayMeet
                                                                     : UsualLaunch::Others::Apart;
  });
}

void ReverseWriter::reverseRegion(Region &R, BasicBlock *Exit) {
  for (BasicBlock *Block : R.Blocks)
    Reversed[Block] = newBlock("reverse");
  for (Region *Child : R.Children)
    Child->ReverseEntry = newBlock("reverse.loop");
  for (BasicBlock *Block : R.Blocks)
    reverseBlock(R, *Block, Exit);
  for (Region *Child : R.Children)
    reverseLoop(*Child);
}

void ReverseWriter::reverseBlock(Region &R, BasicBlock &Block, BasicBlock *Exit) {
  B.SetInsertPoint(Reversed[&Block]);
  for (AllocaInst *Came : MarksOf.lookup(&Block))
    B.CreateStore(B.getTrue(), Came);
  for (Instruction &I : reverse(Block)) {
    B.SetCurrentDebugLocation(Places.of(I));
    takeTurns(Block, &I);
    addSharedSums(Block, &I);
    if (!isa<PHINode>(I) && !I.isTerminator() && !IsLate.contains(&I))
      reverseInstruction(I);
  }
  for (Instruction *I : LateAdjoints.lookup(&Block)) {
    B.SetCurrentDebugLocation(Places.of(*I));
    reverseInstruction(*I);
  }
  B.SetCurrentDebugLocation(Places.of(*Block.getTerminator()));
  takeTurns(Block, nullptr);
  addSharedSums(Block, nullptr);
  finishGradientSums(Block);
  if (&Block == R.header() || &Block == &P.F->getEntryBlock()) {
    B.CreateBr(Exit);
    return;
  }
  SmallVector<std::pair<PHINode *, Value *>, 4> Taken;
  for (PHINode &Phi : Block.phis())
    if (Active.isActive(&Phi) && !isInSum(&Phi))
      Taken.push_back({&Phi, takeAdjoint(&Phi)});
  SmallVector<BasicBlock *, 4> Before;
  for (BasicBlock *From : predecessors(&Block))
    if (!is_contained(Before, From))
      Before.push_back(From);
  if (Before.empty()) {
    B.CreateUnreachable();
    return;
  }
  auto GoBack = [&](BasicBlock *From) {
    for (auto [Phi, Adjoint] : Taken)
      addToAdjoint(Phi->getIncomingValueForBlock(From), Adjoint);
    goToReverseOf(R, *From, Block);
  };
  // A path exists for each edge of a switch, though the block before is one.
  if (Before.size() == 1)
    return GoBack(Before[0]);
  SwitchInst *Choose =
      B.CreateSwitch(pathOf(Block), newBlock("reverse.edge"), static_cast<unsigned>(Before.size()) - 1);
  for (unsigned K = 0; K < Before.size(); ++K) {
    BasicBlock *Edge = K ? newBlock("reverse.edge") : Choose->getDefaultDest();
    if (K)
      Choose->addCase(B.getInt32(K), Edge);
    B.SetInsertPoint(Edge);
    GoBack(Before[K]);
  }
}

void ReverseWriter::goToReverseOf(Region &R, BasicBlock &From, BasicBlock &To) {
  Region *Child = &regionOf(&From);
  if (Child == &R) {
    B.CreateBr(Reversed[&From]);
    return;
  }
  while (Child->Parent != &R)
    Child = Child->Parent;
  if (Child->ExitNumber)
    B.CreateStore(B.getInt32(exitNumber(*Child, &From, &To)), Child->ExitNumber);
  B.CreateBr(Child->ReverseEntry);
}

void ReverseWriter::reverseLoop(Region &R) {
  B.SetInsertPoint(R.ReverseEntry);
  B.SetCurrentDebugLocation(Places.of(*R.header()->getTerminator()));
  switch (R.Plan->Order) {
  case LoopPlan::Nothing:
    B.CreateBr(Reversed[R.L->getLoopPreheader()]);
    return;
  case LoopPlan::Forwards:
    return reverseForwards(R);
  case LoopPlan::Backwards:
    return reverseBackwards(R);
  }
}

void ReverseWriter::dispatchEnd(Region &R, Slice &S) {
  B.SetInsertPoint(S.End);
  SwitchInst *Choose = B.CreateSwitch(S.Ended, Reversed[R.L->getLoopLatch()], static_cast<unsigned>(R.Exits.size()));
  for (unsigned K = 0; K < R.Exits.size(); ++K) {
    BasicBlock *Edge = newBlock("reverse.exit");
    Choose->addCase(B.getInt32(K + 1), Edge);
    B.SetInsertPoint(Edge);
    goToReverseOf(R, const_cast<BasicBlock &>(*R.Exits[K].first), const_cast<BasicBlock &>(*R.Exits[K].second));
  }
}

/// At the beginning of a reversed iteration: adjoints that only this iteration adds to are nothing yet. They are
/// nothing after each iteration, too, but that is more than LLVM sees of a loop.
void ReverseWriter::clearAdjoints(Region &R) {
  SmallPtrSet<const Value *, 8> ComesIn;
  for (PHINode &Phi : R.header()->phis())
    ComesIn.insert(Phi.getIncomingValueForBlock(R.L->getLoopLatch()));
  for (BasicBlock *Block : R.Blocks)
    for (Instruction &I : *Block) {
      bool IsOfIteration =
          I.getType()->isFloatingPointTy() && Active.isActive(&I) && !isInSum(&I) && !ComesIn.contains(&I) &&
          all_of(I.users(), [&](const User *U) { return R.L->contains(cast<Instruction>(U)->getParent()); });
      if (IsOfIteration)
        B.CreateStore(ConstantFP::getNegativeZero(typeOfSum(I.getType())), adjointSlot(&I));
    }
}

/// Behind a reversed loop: the adjoint of a sum that is the loop's own goes on to what it started from.
void ReverseWriter::giveSumsOn(Region &R) {
  for (PHINode &Phi : R.header()->phis())
    if (isInSum(&Phi) && Active.isActive(&Phi) && adjointSlot(&Phi) == Adjoints.lookup(&Phi)) {
      AllocaInst *Slot = adjointSlot(&Phi);
      Value *Adjoint = B.CreateLoad(Slot->getAllocatedType(), Slot);
      B.CreateStore(ConstantFP::getNegativeZero(Slot->getAllocatedType()), Slot);
      addToAdjoint(Phi.getIncomingValueForBlock(R.L->getLoopPreheader()), Adjoint);
    }
}

void ReverseWriter::reverseForwards(Region &R) {
  copyMemory(R, R.Plan->MemoryAtEntry, R.EntryMemory, /*Back=*/true);
  BasicBlock *Before = R.L->getLoopPreheader(), *After = R.L->getLoopLatch();
  SmallVector<std::pair<AllocaInst *, Value *>, 4> Values;
  for (auto &[Phi, Start] : R.Start)
    Values.push_back({Start, valueOf(Phi->getIncomingValueForBlock(Before))});
  for (auto [Start, V] : Values)
    B.CreateStore(V, Start);
  BasicBlock *Again = newBlock("reverse.iteration"), *Tail = newBlock("reverse.tail");
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  clearAdjoints(R);
  clearLaneSums(R);
  separate(R);
  Slice &S = copyForward(R, OwnControl, nullptr);
  copyMemory(R, R.Plan->MemoryHandedOn, R.HandedOnMemory, /*Back=*/false);
  AllocaInst *Ended = newVariable(B.getInt32Ty(), "ended");
  B.CreateStore(S.Ended, Ended);
  reverseRegion(R, Tail);
  dispatchEnd(R, S);
  B.SetInsertPoint(Tail);
  sumLanes(R, nullptr);
  BasicBlock *Next = newBlock("reverse.next"), *Done = newBlock("reverse.done");
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), Ended), B.getInt32(0)), Next, Done);
  B.SetInsertPoint(Next);
  copyMemory(R, R.Plan->MemoryHandedOn, R.HandedOnMemory, /*Back=*/true);
  Values.clear();
  for (auto &[Phi, Start] : R.Start)
    Values.push_back({Start, valueOf(Phi->getIncomingValueForBlock(After))});
  for (auto [Start, V] : Values)
    B.CreateStore(V, Start);
  B.CreateBr(Again);
  B.SetInsertPoint(Done);
  separate(R);
  giveSumsOn(R);
  B.CreateBr(Reversed[Before]);
  forgetValues(S);
}

void ReverseWriter::reverseBackwards(Region &R) {
  copyMemory(R, R.Plan->MemoryAtEntry, R.EntryMemory, /*Back=*/true);
  BasicBlock *Before = R.L->getLoopPreheader(), *After = R.L->getLoopLatch();
  Value *One = ConstantInt::get(CountType, 1);
  B.CreateStore(B.CreateSub(B.CreateLoad(CountType, R.Count), One), R.Iteration);
  AllocaInst *Step = lastStepOf(R);
  BasicBlock *Again = newBlock("reverse.iteration"), *Tail = newBlock("reverse.tail");
  BasicBlock *Ended = Step ? newBlock("reverse.step") : Again;
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  clearAdjoints(R);
  clearLaneSums(R);
  if (Step) {
    BasicBlock *Run = newBlock("reverse.own");
    Value *Now = B.CreateLoad(CountType, Step);
    B.CreateCondBr(B.CreateICmpULT(Now, B.CreateLoad(CountType, R.Count)), Run, Ended);
    B.SetInsertPoint(Run);
    B.CreateStore(Now, R.Iteration);
  }
  separate(R);
  undoIteration(R);
  restoreState(R);
  Value *IsLast =
      B.CreateICmpEQ(B.CreateAdd(B.CreateLoad(CountType, R.Iteration), One), B.CreateLoad(CountType, R.Count));
  Value *Leave = B.CreateSelect(IsLast, B.CreateLoad(B.getInt32Ty(), R.ExitNumber), B.getInt32(0));
  Slice &S = copyForward(R, GivenControl, Leave);
  reverseRegion(R, Tail);
  dispatchEnd(R, S);
  B.SetInsertPoint(Tail);
  SmallVector<std::pair<PHINode *, Value *>, 4> Taken;
  for (PHINode &Phi : R.header()->phis())
    if (Active.isActive(&Phi) && !isInSum(&Phi))
      Taken.push_back({&Phi, takeAdjoint(&Phi)});
  if (!Step)
    sumLanes(R, nullptr);
  BasicBlock *Next = newBlock("reverse.next"), *Done = newBlock("reverse.done");
  BasicBlock *First = Step ? newBlock("reverse.first") : Done;
  Value *Iteration = B.CreateLoad(CountType, R.Iteration), *Zero = ConstantInt::get(CountType, 0);
  B.CreateCondBr(B.CreateICmpEQ(Iteration, Zero), First, Next);
  B.SetInsertPoint(Next);
  for (auto [Phi, Adjoint] : Taken)
    addToAdjoint(Phi->getIncomingValueForBlock(After), Adjoint);
  if (!Step)
    B.CreateStore(B.CreateSub(Iteration, One), R.Iteration);
  B.CreateBr(Ended);
  B.SetInsertPoint(First);
  for (auto [Phi, Adjoint] : Taken)
    addToAdjoint(Phi->getIncomingValueForBlock(Before), Adjoint);
  if (Step) {
    B.CreateBr(Ended);
    B.SetInsertPoint(Ended);
    Value *Now = B.CreateLoad(CountType, Step);
    sumLanes(R, Now);
    BasicBlock *Back = newBlock("reverse.back");
    B.CreateCondBr(B.CreateICmpEQ(Now, Zero), Done, Back);
    B.SetInsertPoint(Back);
    B.CreateStore(B.CreateSub(Now, One), Step);
    B.CreateBr(Again);
    B.SetInsertPoint(Done);
  }
  giveSumsOn(R);
  B.CreateBr(Reversed[Before]);
  forgetValues(S);
}

/// What a proof assumes of the launch, as far as the source has names for it: " where 0 <= n, 0 <= ...".
static std::string textOf(const LaunchConditions &Assumed, const IndexForms &Forms) {
  std::string Text;
  bool HasOthers = false;
  for (const Polynomial &Condition : Assumed) {
    std::string Each = Forms.text(Condition);
    // A value that only LLVM has a number for: %7.
    size_t Percent = Each.find('%');
    while (Percent != std::string::npos && Each[Percent + 1] == ' ')
      Percent = Each.find('%', Percent + 1);
    if (Percent != std::string::npos || StringRef(Each).contains("iteration(")) {
      HasOthers = true;
      continue;
    }
    Text += (Text.empty() ? " where 0 <= " : ", 0 <= ") + Each;
  }
  if (HasOthers)
    Text += std::string(Text.empty() ? " where" : ", and") + " conditions of values without a name in the source hold";
  return Text;
}

/// How each gradient is added to, and what stopped the better way.
static void remarkOn(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Accumulation &Accumulations,
                     const BlockSums &OverBlock, Refusals &Refused) {
  if (!Refused.wantsRemarks())
    return;
  SmallPtrSet<const MemoryObject *, 4> Scalars;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const MemoryObject *O = Load && Active.isActive(&I) ? Objects.only(Load->getPointerOperand()) : nullptr;
    if (O && O->Kind == MemoryObject::Parameter && Refused.request().Kind == DerivativeRequest::Kernel &&
        Scalars.insert(O).second)
      Refused.remark(&I, "gradient of '" + O->Name + "': a sum over all threads");
  }
  for (auto &[O, Choice] : Accumulations.choices()) {
    std::string Text = "gradient of '" + O->Name + "': ";
    switch (Choice.Way) {
    case Accumulation::Choice::Atomic:
      Text += OverBlock.containsAllOf(*O) ? "summed over each block, and added by atomic operations: "
                                          : "added by atomic operations: ";
      Text += Choice.Reason;
      break;
    case Accumulation::Choice::Warp:
      Text += "added by atomic operations, over each warp first: the source says so";
      break;
    case Accumulation::Choice::Once:
      Text += "assigned: the source says so";
      break;
    case Accumulation::Choice::Alone:
      Text += "added by the only thread";
      break;
    case Accumulation::Choice::Plain:
      Text += "added without atomic operations";
      // A proof for blocks of one thread tells nothing apart by ids.
      if (!Choice.Proof.Ids && Choice.Proof.Assumed.empty())
        Text += ": the source says so";
      Text += textOf(Choice.Proof.Assumed, Accumulations.forms());
      break;
    }
    Refused.remark(Choice.Where, Text);
  }
}

/// How gradients of shared memory are added to without atomic operations.
static void remarkOn(const SharedTurnPlans &Turns, const IndexForms &Forms, Refusals &Refused) {
  if (!Refused.wantsRemarks())
    return;
  for (const auto &[Where, Plan] : Turns.plans()) {
    size_t Loads = 0, Number = 0, Barriers = 0, ForNobody = 0;
    for (const SharedTurns::Turn &Turn : Plan.Turns) {
      (Turn.IsForNobody ? ForNobody : Loads) += Turn.Items.size();
      Number += !Turn.IsForNobody;
      Barriers += !Turn.IsForNobody && !Turn.IsForWarps;
    }
    std::string Text = "gradients of shared memory: what " + std::to_string(Loads) +
                       " loads give is added without atomic operations, in " + std::to_string(Number) + " turns";
    if (Barriers < Number)
      Text += ", for " + std::to_string(Barriers) + " of which the block waits and for the others its warps";
    if (ForNobody)
      Text += "; what " + std::to_string(ForNobody) + " other loads give is read by nobody";
    Text += textOf(Plan.Assumed, Forms);
    Refused.remark(Plan.Turns.front().Items.front().Load, Text);
  }
}

/// Which of them are summed over the threads that read one element.
static void remarkOn(const SharedSumPlans &Sums, Refusals &Refused) {
  if (!Refused.wantsRemarks())
    return;
  for (const auto &[Where, Plan] : Sums.plans()) {
    size_t Loads = 0;
    for (const auto &Groups : Plan.Rounds)
      for (const SharedSums::Group &Group : Groups)
        Loads += Group.Loads.size();
    std::string Text = "gradients of shared memory: what " + std::to_string(Loads) +
                       " loads give is summed over the threads that read one element, and added without atomic "
                       "operations";
    if (Plan.Rounds.size() > 1)
      Text += ", in " + std::to_string(Plan.Rounds.size()) + " rounds";
    Refused.remark(Plan.Rounds.front().front().Loads.front(), Text);
  }
}

/// Which gradients of shared memory lanes sum first, and what stopped that.
static void remarkOn(const LaneSums &Lanes, Refusals &Refused) {
  if (!Refused.wantsRemarks())
    return;
  for (const auto &[L, Plan] : Lanes.plans()) {
    if (!Plan.Items.empty())
      Refused.remark(Plan.Items.front().Load, "gradients of shared memory: what " + std::to_string(Plan.Items.size()) +
                                                  " loads give is summed over the lanes of a warp in each iteration" +
                                                  (Plan.InStep ? ", which they go through in step" : ""));
    if (!Plan.Reason.empty())
      Refused.remark(Plan.Stopped,
                     "gradients of shared memory: lanes that read one element add to it one by one, or as "
                     "they happen to come together: " +
                         Plan.Reason);
  }
}

/// Which adjoints of variables are summed in 16 bits, and why.
static void remarkOn(const FloatShadows &ShadowsInFloat, Refusals &Refused) {
  if (Refused.wantsRemarks())
    for (const auto &[O, Obstacle] : ShadowsInFloat.others())
      Refused.remark(Obstacle.Read, "adjoints of " + (O->Name.empty() ? "an array" : "'" + O->Name + "'") +
                                        " are summed in 16 bits, not in float: " + Obstacle.Reason);
}

ReverseFacts kernix::writeReverse(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM,
                                  Refusals &Refused, UsualLaunch &Usual) {
  ReverseFacts Result;
  if (unrollSharedLoops(Request, P, FAM))
    canonicalLoops(*P.F, FAM);
  MemoryObjects Objects(P, Request, /*AsPrepared=*/true);
  nameActiveLanes(P, Request, Objects, FAM);
  decideInWarps(P, Objects, FAM);
  auto Prune = [&] {
    Activity Active(P, Request, Objects);
    refuseWithoutRule(P, Request, Objects, Active, Refused);
    PostDominatorTree &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(*P.F);
    Need Needed(P, Objects, Active, PostDominators, /*AllBranches=*/false);
    return !Refused.any() && prune(P, Needed, PostDominators);
  };
  if (Prune())
    canonicalLoops(*P.F, FAM);
  if (Refused.any())
    return Result;
  Activity Active(P, Request, Objects);
  refuseWithoutRule(P, Request, Objects, Active, Refused);
  SingleStores Stores(P, Objects, Active, FAM, Refused);
  Need Needed(P, Objects, Active, FAM.getResult<PostDominatorTreeAnalysis>(*P.F), /*AllBranches=*/true);
  OwnReads Own(P, Objects, FAM);
  refuseUnreproducible(P, Objects, Active, Needed, Stores, Own, FAM, Refused);
  if (Refused.any())
    return Result;
  LoopNeeds Needs(P, Objects, Active, Needed, FAM.getResult<PostDominatorTreeAnalysis>(*P.F));
  SharedContents Contents(P, Objects, Active, Needs, FAM, Refused);
  FloatShadows ShadowsInFloat(P, Objects, Active);
  checkSharedSizes(P, Objects, Active, ShadowsInFloat, Refused);
  UniformValues Uniform(P, Objects, FAM);
  auto IsRun = [&](const CallInst &Call) {
    return Needed.contains(&Call) || (orderingCall(Call) ? Contents.mirrorsBarriers() : Active.isActive(&Call));
  };
  CollectivePaths Paths(P, Objects, Active, Uniform, IsRun, FAM, Refused);
  LoopPlans Plans(P, Objects, Active, Needs, Contents, Stores, FAM, Refused);
  if (Refused.any())
    return Result;
  Accumulation Accumulations(Request, P, Objects, Active, FAM, Request.IsDifferentiated);
  for (auto &[O, Choice] : Accumulations.choices())
    if (Choice.Way == Accumulation::Choice::Once && Choice.IsMixed)
      Refused.error(*Choice.Where, "[[kernix::diff(once)]] of '" + O->Name +
                                       "' cannot be: the pointer may lead to another tensor here");
  SharedWriters Writers(Request, P, Objects, Accumulations.forms(), Uniform, FAM);
  if (Request.IsDifferentiated)
    refuseSharedStores(P, Writers, Active, Contents, Refused);
  if (Request.IsDeterministic)
    refuseSumsOverThreads(Request, P, Objects, Active, Needed, Accumulations, Refused);
  if (Refused.any())
    return Result;
  BlockSums OverBlock(Request, P, Objects, Active, Uniform, Paths, Accumulations);
  SharedTurnPlans Turns(Request, P, Objects, Active, Uniform, Paths, Accumulations, FAM);
  remarkOn(P, Objects, Active, Accumulations, OverBlock, Refused);
  SharedSumPlans Sums(Request, P, Objects, Active, Uniform, Paths, Accumulations, ShadowsInFloat, Turns);
  LaneSums Lanes(Request, P, Objects, Active, Uniform, Paths, Contents, Plans, Accumulations, ShadowsInFloat, Turns,
                 Sums, FAM);
  remarkOn(Turns, Accumulations.forms(), Refused);
  remarkOn(Sums, Refused);
  remarkOn(Lanes, Refused);
  remarkOn(ShadowsInFloat, Refused);
  remarkOnLoops(P, Plans, FAM, Refused);
  FloatGradients Floats(Request, P, Objects, Active, Accumulations, FAM);
  Result.InFloat = Floats.parameters();
  ScratchGradients Scratch(Request, P, Objects, Active, Accumulations, Floats, Refused);
  RepeatedStores Repeated(P, Objects, FAM);
  if (Request.Facts)
    Repeated.refuse(Refused);
  if (Refused.any())
    return Result;
  for (const auto &[O, Way] : Scratch.all())
    Result.InScratch |= 1U << O->ParameterIndex;
  ReverseWriter(Request, P, Objects, Active, Needed, Contents, Paths, Uniform, Plans, Stores, Repeated, Own,
                Accumulations, Floats, ShadowsInFloat, Scratch, OverBlock, Turns, Sums, Lanes, Writers, FAM, Refused,
                Usual)
      .write(FAM);
  for (auto &[O, Choice] : Accumulations.choices())
    if (Choice.Way == Accumulation::Choice::Plain || Choice.Way == Accumulation::Choice::Once) {
      Result.ProofIds |= Choice.Proof.Ids;
      if (Accumulations.mayBeMarked(*O) && !Floats.contains(*O))
        Result.PlainGradients |= 1U << O->ParameterIndex;
    }
  Result.Order = orderOfSums(Request, P, Objects, Active, Needed, Accumulations);
  return Result;
}
