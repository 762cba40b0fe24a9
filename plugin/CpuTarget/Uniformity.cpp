//===- Uniformity.cpp - what is the same for all threads of a block ----------------------------------------------===//
//
// Optimistic: everything is uniform until something says otherwise; the loop ends when nothing changes.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Uniformity.h"
#include "CpuTarget/Geometry.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kernix {

/// A slot of one value, whose address goes nowhere.
static bool isSimpleSlot(const AllocaInst &Slot) {
  return !Slot.isArrayAllocation() && Slot.getAllocatedType()->isSingleValueType() &&
         all_of(Slot.users(), [&](const User *U) {
           if (const auto *Load = dyn_cast<LoadInst>(U))
             return Load->getType() == Slot.getAllocatedType() && !Load->isVolatile();
           const auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getPointerOperand() == &Slot && !Store->isVolatile() &&
                  Store->getValueOperand()->getType() == Slot.getAllocatedType();
         });
}

Uniformity::Uniformity(Function &Body, const PhasePlan &Plan) : Body(Body), Plan(Plan) {
  const FrameSlots &Own = Plan.Slots;
  for (Instruction &I : Body.getEntryBlock())
    if (auto *Slot = dyn_cast<AllocaInst>(&I);
        Slot && isSimpleSlot(*Slot) &&
        !is_contained({Own.Result, Own.Value, Own.Next, Own.Ready, Own.Mask, Own.Source}, Slot))
      Slots.insert(Slot);
  for (BasicBlock &Block : Body) {
    SmallPtrSet<BasicBlock *, 32> Seen;
    if (!reachesReturn(&Block, nullptr, Seen))
      Dead.insert(&Block);
  }
  while (Together && collect())
    ;
}

bool Uniformity::isUniform(const Value *V) const {
  // Each thread has its own variables: their addresses differ.
  return !isa<AllocaInst>(V) && (!isa<Instruction>(V) || !Divergent.contains(V));
}

bool Uniformity::setDivergent(Instruction &I) { return Divergent.insert(&I).second; }

/// Whether I differs between threads that run it together.
bool Uniformity::visit(Instruction &I) {
  if (isa<AllocaInst>(I) || I.isTerminator())
    return false;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
    if (!Slot || !Slots.contains(Slot) ||
        (isUniform(Store->getValueOperand()) && !Unordered.contains(Store->getParent())))
      return false;
    Slots.remove(Slot);
    return true;
  }
  if (Divergent.contains(&I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    auto *Slot = dyn_cast<AllocaInst>(Load->getPointerOperand());
    if (Slot ? Slots.contains(Slot)
             : Load->hasMetadata(LLVMContext::MD_invariant_load) && isUniform(Load->getPointerOperand()))
      return false;
    return setDivergent(I);
  }
  // Each thread's copy of the code may freeze to something else.
  if (isa<FreezeInst>(I))
    return setDivergent(I);
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    Function *Callee = calledFunction(*Call);
    std::optional<GeometryItem> Item = Callee ? geometryItem(*Callee) : std::nullopt;
    if (Item)
      return Item->Field == SF_ThreadIdx && setDivergent(I);
    if (!isa<IntrinsicInst>(Call) || Call->mayReadOrWriteMemory() || Call->getType()->isVoidTy())
      return setDivergent(I);
  } else if (I.mayReadOrWriteMemory()) {
    return setDivergent(I);
  }
  return any_of(I.operands(), [&](const Use &U) { return !isUniform(U); }) && setDivergent(I);
}

bool Uniformity::reachesReturn(ArrayRef<BasicBlock *> From, const BasicBlock *Without,
                               SmallPtrSetImpl<BasicBlock *> &Seen) const {
  bool Found = false;
  SmallVector<BasicBlock *> Work;
  auto Add = [&](BasicBlock *Block) {
    if (Block != Without && !Dead.contains(Block) && Seen.insert(Block).second)
      Work.push_back(Block);
  };
  for (BasicBlock *Block : From)
    Add(Block);
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    Found |= isa<ReturnInst>(Block->getTerminator());
    for (BasicBlock *Next : successors(Block))
      Add(Next);
  }
  return Found;
}

/// The nearest block that every way from Block to a return passes, and the blocks on the way to it. Threads that trap
/// end the launch, so their ways do not count.
BasicBlock *Uniformity::nearestJoin(BasicBlock &Block, SmallPtrSetImpl<BasicBlock *> &Between) const {
  SmallVector<BasicBlock *> Successors(successors(&Block));
  BasicBlock *Nearest = nullptr;
  for (BasicBlock &Candidate : Body) {
    SmallPtrSet<BasicBlock *, 32> Seen;
    if (&Candidate == &Block || Dead.contains(&Candidate) || reachesReturn(Successors, &Candidate, Seen))
      continue;
    if (Nearest && Seen.size() >= Between.size())
      continue;
    Nearest = &Candidate;
    Between.clear();
    Between.insert(Seen.begin(), Seen.end());
  }
  return Nearest;
}

/// Threads part at the end of Block.
bool Uniformity::markBranch(BasicBlock &Block) {
  if (Joins.contains(&Block))
    return false;
  SmallPtrSet<BasicBlock *, 32> Between;
  // On ways that all end in a trap, threads do not come together again.
  BasicBlock *Join = Dead.contains(&Block) ? nullptr : nearestJoin(Block, Between);
  Joins[&Block] = Join;
  if (!Join) {
    Together = false;
    return false;
  }
  for (BasicBlock *Inside : Between) {
    Unordered.insert(Inside);
    Together &= none_of(Plan.Cuts, [&](const Cut &C) { return C.Block == Inside; });
    for (PHINode &Phi : Inside->phis())
      setDivergent(Phi);
  }
  for (PHINode &Phi : Join->phis())
    setDivergent(Phi);
  return true;
}

bool Uniformity::collect() {
  bool Changed = false;
  for (BasicBlock &Block : Body) {
    for (Instruction &I : Block)
      Changed |= visit(I);
    Instruction *End = Block.getTerminator();
    if (End->getNumSuccessors() < 2)
      continue;
    const Value *Condition = isa<SwitchInst>(End) ? cast<SwitchInst>(End)->getCondition() : nullptr;
    if (auto *Branch = dyn_cast<BranchInst>(End))
      Condition = Branch->getCondition();
    if (!Condition || !isUniform(Condition))
      Changed |= markBranch(Block);
  }
  return Changed;
}

} // namespace kernix
