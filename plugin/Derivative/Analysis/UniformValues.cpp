//===- UniformValues.cpp - what is the same for all threads of a block or warp ----------------------------------===//

#include "Derivative/Analysis/UniformValues.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

/// What is taken for a multiple of 32 beside the thread id: not a constant that is none.
bool isTakenForMultiple(const Value *V) {
  const auto *C = dyn_cast<ConstantInt>(V);
  return !C || C->getValue().urem(32) == 0;
}

/// A sum of the thread id and what is taken for a multiple of 32.
bool isThreadNumber(const Value *V) {
  while (isa<ZExtInst, SExtInst, TruncInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  if (const auto *Call = dyn_cast<CallBase>(V))
    return Call->getCalledFunction() && Call->getCalledFunction()->getName() == "kernix.thread_idx.x";
  const auto *Sum = dyn_cast<BinaryOperator>(V);
  if (!Sum)
    return false;
  bool IsSum = Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub ||
               (Sum->getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(Sum)->isDisjoint());
  const Value *Left = Sum->getOperand(0), *Right = Sum->getOperand(1);
  return IsSum &&
         ((isThreadNumber(Left) && isTakenForMultiple(Right)) || (isThreadNumber(Right) && isTakenForMultiple(Left)));
}

/// Numbers that the lanes of a warp have in common if warps are rows of the block, by the way they are computed.
bool isOfWarp(const Instruction &I) {
  const APInt *C = nullptr;
  Value *X = nullptr;
  if (match(&I, m_Shr(m_Value(X), m_APInt(C))))
    return C->uge(5) && isThreadNumber(X);
  if (match(&I, m_IDiv(m_Value(X), m_APInt(C))))
    return C->urem(32) == 0 && isThreadNumber(X);
  if (match(&I, m_And(m_Value(X), m_APInt(C))))
    return (C->getZExtValue() & 31) == 0 && isThreadNumber(X);
  const auto *Compare = dyn_cast<ICmpInst>(&I);
  if (!Compare || !match(Compare->getOperand(1), m_APInt(C)) || !isThreadNumber(Compare->getOperand(0)))
    return false;
  switch (Compare->getPredicate()) {
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SGE:
    return C->urem(32) == 0;
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
    return C->urem(32) == 31;
  default:
    return false;
  }
}

} // namespace

UniformValues::UniformValues(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM,
                             function_ref<bool(const Instruction &)> IsOfWarp)
    : Objects(Objects), Loops(FAM.getResult<LoopAnalysis>(*P.F)) {
  ControlDependence Direct(*P.F, FAM.getResult<PostDominatorTreeAnalysis>(*P.F));
  for (const BasicBlock &Block : *P.F)
    Controls[&Block].insert_range(Direct.of(&Block));
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (auto &[Block, Set] : Controls) {
      size_t Before = Set.size();
      for (const BasicBlock *Control : SmallVector<const BasicBlock *, 8>(Set.begin(), Set.end()))
        if (Control != Block) {
          const BlockSet &More = Controls[Control];
          Set.insert(More.begin(), More.end());
        }
      Changed |= Set.size() != Before;
    }
  }
  for (const Instruction &I : instructions(*P.F))
    if (MemoryAccess Access = accessOf(I); Access.Stored)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        Written.insert(O);
  Changed = true;
  while (Changed) {
    Changed = false;
    for (const Instruction &I : instructions(*P.F)) {
      Level Now = levelOf(I);
      if (Now > WarpOfRow && IsOfWarp && IsOfWarp(I))
        Now = WarpOfRow;
      Level &Known = Levels[&I];
      Changed |= Now > Known;
      Known = std::max(Known, Now);
    }
  }
}

UniformValues::Level UniformValues::ofBranch(const BasicBlock *Branch) const {
  const Value *Condition = conditionOf(*Branch);
  return Condition ? of(Condition) : Block;
}

UniformValues::Level UniformValues::levelOf(const Instruction &I) {
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    return ofPhi(*Phi);
  if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
    return Thread;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return ofLoad(*Load);
  Level Operands = Block;
  for (const Use &Operand : I.operands())
    Operands = std::max(Operands, of(Operand));
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return ofCall(*Call, Operands);
  return Operands == Thread && isOfWarp(I) ? WarpOfRow : Operands;
}

UniformValues::Level UniformValues::ofCall(const CallBase &Call, Level Operands) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  if (Name == "kernix.thread_idx.x")
    return Thread;
  if (Name.starts_with("kernix.thread_idx."))
    return WarpOfRow;
  if (Name.starts_with("llvm.nvvm.read.ptx.sreg.lane"))
    return Thread;
  if (Callee && isBarrier(*Callee))
    return Block;
  if (Callee && isShuffle(*Callee)) {
    if (Operands == Block)
      return Block;
    const auto *Width = dyn_cast<ConstantInt>(Call.getArgOperand(3));
    bool IsOneLane = Name.starts_with("kernix.shfl.idx.") && Width && Width->equalsInt(32);
    return IsOneLane ? std::max(Warp, of(Call.getArgOperand(2))) : Thread;
  }
  if (Callee && isCollective(*Callee))
    return Name.starts_with("kernix.match_any") ? Thread : Warp;
  return Callee && Call.doesNotAccessMemory() && !Call.isConvergent() ? Operands : Thread;
}

UniformValues::Level UniformValues::ofLoad(const LoadInst &Load) {
  for (const MemoryObject *O : Objects.of(Load.getPointerOperand()))
    switch (O->Kind) {
    case MemoryObject::Shared: // another thread does not write where this one reads, until the next barrier
    case MemoryObject::Constant:
    case MemoryObject::Parameter:
      break;
    case MemoryObject::Local:
    case MemoryObject::Unknown:
      return Thread;
    default:
      if (Written.contains(O) || !Load.isSimple())
        return Thread;
    }
  return of(Load.getPointerOperand());
}

UniformValues::Level UniformValues::ofPhi(const PHINode &Phi) {
  const BasicBlock *Join = Phi.getParent();
  Level Result = Block;
  for (const Value *Incoming : Phi.incoming_values())
    Result = std::max(Result, of(Incoming));
  const Loop *Own = Loops.getLoopFor(Join);
  if (Own && Own->getHeader() == Join)
    return Result;
  const BlockSet &After = controls(Join);
  for (const BasicBlock *From : Phi.blocks()) {
    if (Phi.getNumIncomingValues() > 1) {
      if (!After.contains(From))
        Result = std::max(Result, ofBranch(From));
      for (const BasicBlock *Control : controls(From))
        if (!After.contains(Control))
          Result = std::max(Result, ofBranch(Control));
    }
    // Threads that leave a loop in different iterations bring values of different iterations.
    for (const Loop *L = Loops.getLoopFor(From); L && !L->contains(Join); L = L->getParentLoop()) {
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      for (const BasicBlock *Exit : Exiting)
        Result = std::max(Result, ofBranch(Exit));
    }
  }
  return Result;
}
