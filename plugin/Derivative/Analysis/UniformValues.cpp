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

const Value *withoutCasts(const Value *V) {
  while (isa<ZExtInst, SExtInst, TruncInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  return V;
}

bool isRead(const Value *V, StringRef Name) {
  const auto *Call = dyn_cast<CallBase>(V);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == Name;
}

/// Numbers that the lanes of a warp have in common if warps are rows of the block, by the way they are computed.
class NumbersOfWarps {
public:
  explicit NumbersOfWarps(UniformValues::Lanes Which) : Which(Which) {}

  bool contains(const Instruction &I) const {
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

private:
  /// A sum of the thread id and multiples of 32.
  bool isThreadNumber(const Value *V) const {
    V = withoutCasts(V);
    if (isRead(V, "kernix.thread_idx.x"))
      return true;
    const auto *Sum = dyn_cast<BinaryOperator>(V);
    if (!Sum || !isSum(*Sum))
      return false;
    const Value *Left = Sum->getOperand(0), *Right = Sum->getOperand(1);
    return (isThreadNumber(Left) && isMultiple(Right)) ||
           ((!Which.All || Sum->getOpcode() != Instruction::Sub) && isThreadNumber(Right) && isMultiple(Left));
  }

  /// Of 32. What is no constant is taken for one unless all lanes are asked for.
  bool isMultiple(const Value *V) const {
    V = withoutCasts(V);
    if (const auto *C = dyn_cast<ConstantInt>(V))
      return C->getValue().urem(32) == 0;
    if (!Which.All || (Which.RowsAreWarps && isRead(V, "kernix.block_dim.x")))
      return true;
    const auto *I = dyn_cast<BinaryOperator>(V);
    if (!I)
      return false;
    const Value *Left = I->getOperand(0), *Right = I->getOperand(1);
    if (I->getOpcode() == Instruction::Mul)
      return isMultiple(Left) || isMultiple(Right);
    if (const auto *By = dyn_cast<ConstantInt>(Right); By && I->getOpcode() == Instruction::Shl)
      return By->getValue().uge(5);
    return isSum(*I) && isMultiple(Left) && isMultiple(Right);
  }

  static bool isSum(const BinaryOperator &I) {
    return I.getOpcode() == Instruction::Add || I.getOpcode() == Instruction::Sub ||
           (I.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(I).isDisjoint());
  }

  UniformValues::Lanes Which;
};

/// The mask of a warp function is a constant, of all lanes.
bool namesAllLanes(const CallBase &Call) {
  const Value *Mask = Call.arg_empty() ? nullptr : Call.getArgOperand(0);
  const auto *C = dyn_cast_or_null<ConstantInt>(Mask);
  return C && C->isMinusOne();
}

} // namespace

UniformValues::UniformValues(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM,
                             function_ref<bool(const Instruction &)> IsOfWarp, Lanes Which)
    : Objects(Objects), Loops(FAM.getResult<LoopAnalysis>(*P.F)), Which(Which) {
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
  return Operands == Thread && NumbersOfWarps(Which).contains(I) ? WarpOfRow : Operands;
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
    bool IsOneLane =
        Name.starts_with("kernix.shfl.idx.") && Width && Width->equalsInt(32) && (!Which.All || namesAllLanes(Call));
    return IsOneLane ? std::max(Warp, of(Call.getArgOperand(2))) : Thread;
  }
  if (Callee && isCollective(*Callee))
    return Name.starts_with("kernix.match_any") || (Which.All && !namesAllLanes(Call)) ? Thread : Warp;
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
