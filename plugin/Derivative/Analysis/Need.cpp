//===- Need.cpp - what a backward function has to compute again -------------------------------------------------===//

#include "Derivative/Analysis/Need.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Rules/Rule.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace kernix;

bool kernix::isReciprocal(const Instruction &I) {
  const auto *One = I.getOpcode() == Instruction::FDiv ? dyn_cast<ConstantFP>(I.getOperand(0)) : nullptr;
  return One && One->isExactlyValue(1.0);
}

static bool isVariable(const MemoryObject &O) {
  return O.Kind == MemoryObject::Local || O.Kind == MemoryObject::Shared;
}

Need::Need(const Prepared &P, MemoryObjects &Objects, Activity &Active, PostDominatorTree &PostDominators,
           bool AllBranches, const Loop *Scope)
    : Objects(Objects), Active(Active), Scope(Scope), Controls(*P.F, PostDominators) {
  for (const Instruction &I : instructions(*P.F)) {
    for (const Value *Written : pointersWritten(I, Objects.rules()))
      for (const MemoryObject *O : Objects.of(Written))
        if (isVariable(*O))
          Writers[O].push_back(&I);
  }
  bool IsExchanged = false;
  for (const Instruction &I : instructions(*P.F)) {
    if (orderingCall(I))
      Orderings.push_back(&I);
    else if (MemoryAccess Access = accessOf(I); Access.Pointer && Active.isActiveAccess(I))
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        IsExchanged |= O->isExchanged();
  }
  // Barriers are mirrored where memory that threads exchange has adjoints.
  if (IsExchanged)
    for (const Instruction *Ordering : Orderings)
      if (!Scope || Scope->contains(Ordering)) {
        addBlock(Ordering->getParent());
        for (const Use &Operand : cast<CallInst>(Ordering)->args())
          add(Operand);
      }
  for (const Instruction &I : instructions(*P.F)) {
    if (Scope && !Scope->contains(&I))
      continue;
    addRoots(I);
    if (AllBranches && I.isTerminator() && I.getNumSuccessors() > 1)
      add(I.getOperand(0));
  }
  while (!Work.empty())
    follow(*Work.pop_back_val());
}

const Need &LoopNeeds::of(const Loop *L) const {
  if (!L)
    return Whole;
  std::unique_ptr<Need> &Found = OfLoop[L];
  if (!Found)
    Found = std::make_unique<Need>(P, Objects, Active, PostDominators, /*AllBranches=*/true, L);
  return *Found;
}

void Need::addBlock(const BasicBlock *Block) {
  if (Scope && !Scope->contains(Block))
    return;
  if (!Relevant.insert(Block).second)
    return;
  for (const BasicBlock *Control : Controls.of(Block)) {
    add(conditionOf(*Control));
    addBlock(Control);
  }
}

void Need::add(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I) {
    if (isa<Argument>(V))
      Values.insert(V);
    return;
  }
  if (Scope && !Scope->contains(I))
    return;
  if (Values.insert(V).second)
    Work.push_back(I);
}

void Need::addRoots(const Instruction &I) {
  if (Active.isActiveAccess(I)) {
    add(accessOf(I).Pointer);
    addBlock(I.getParent());
  }
  if (!Active.isActive(&I))
    return;
  addBlock(I.getParent());
  if (const auto *Phi = dyn_cast<PHINode>(&I)) {
    for (const BasicBlock *From : Phi->blocks())
      addBlock(From);
    return;
  }
  switch (I.getOpcode()) {
  case Instruction::FMul:
    if (Active.isActive(I.getOperand(0)))
      add(I.getOperand(1));
    if (Active.isActive(I.getOperand(1)))
      add(I.getOperand(0));
    return;
  case Instruction::FDiv:
    if (!isReciprocal(I))
      add(I.getOperand(1));
    if (Active.isActive(I.getOperand(1)))
      add(&I);
    return;
  case Instruction::Select:
    add(I.getOperand(0));
    return;
  default:
    break;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (ruleOf(&I, Objects.rules())) {
    for (const Use &Argument : Call->args())
      add(Argument);
    return addMemory(I);
  }
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (Callee && isShuffle(*Callee))
    for (unsigned K : {0, 2, 3})
      add(Call->getArgOperand(K));
  if (!Callee || !findRule(*Callee))
    return;
  for (unsigned K = 0; K < Call->arg_size(); ++K) {
    if (!Active.isActive(Call->getArgOperand(K)))
      continue;
    RuleNeeds Reads = needsOf(*Call, K);
    for (unsigned J : Reads.Operands.set_bits())
      add(Call->getArgOperand(J));
    if (Reads.Result)
      add(Call);
  }
}

void Need::follow(const Instruction &I) {
  addBlock(I.getParent());
  for (const Use &Operand : I.operands())
    if (!isa<BasicBlock>(Operand))
      add(Operand);
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    for (const BasicBlock *From : Phi->blocks())
      addBlock(From);
  addMemory(I);
}

/// Reading a local or shared variable needs everything that is written there.
void Need::addMemory(const Instruction &I) {
  for (const Value *Read : pointersRead(I, Objects.rules()))
    for (const MemoryObject *O : Objects.of(Read))
      if (isVariable(*O) && Variables.insert(O).second) {
        for (const Instruction *Writer : Writers[O])
          add(Writer);
        // What other threads have written is there after a barrier.
        if (O->Kind == MemoryObject::Shared)
          for (const Instruction *Ordering : Orderings)
            add(Ordering);
      }
}

bool Need::reads(const Instruction &I) const {
  return Values.contains(&I) || (ruleOf(&I, Objects.rules()) && Active.isActive(&I));
}

bool kernix::prune(const Prepared &P, const Need &Needed, PostDominatorTree &PostDominators) {
  bool Changed = false;
  SmallVector<std::pair<Instruction *, BasicBlock *>, 8> Jumps;
  for (BasicBlock &Block : *P.F) {
    Instruction *Terminator = Block.getTerminator();
    const Value *Condition = conditionOf(Block);
    if (!Condition || !isa<BranchInst, SwitchInst>(Terminator) || isa<Constant>(Condition) ||
        Needed.contains(Condition))
      continue;
    auto *Node = PostDominators.getNode(&Block);
    auto *After = Node ? Node->getIDom() : nullptr;
    if (After && After->getBlock())
      Jumps.push_back({Terminator, After->getBlock()});
  }
  for (auto [Terminator, Target] : Jumps) {
    BasicBlock *Block = Terminator->getParent();
    bool WasPredecessor = is_contained(successors(Block), Target);
    for (BasicBlock *Next : SmallPtrSet<BasicBlock *, 4>(succ_begin(Block), succ_end(Block)))
      if (Next != Target)
        Next->removePredecessor(Block, /*KeepOneInputPHIs=*/true);
    for (PHINode &Phi : Target->phis()) {
      if (WasPredecessor) {
        // A switch may have led here by several edges.
        while (count(Phi.blocks(), Block) > 1)
          Phi.removeIncomingValue(Block, false);
      } else {
        Phi.addIncoming(PoisonValue::get(Phi.getType()), Block);
      }
    }
    BranchInst::Create(Target, Terminator->getIterator());
    Terminator->eraseFromParent();
    Changed = true;
  }
  if (Changed)
    removeUnreachableBlocks(*P.F);
  return Changed;
}
