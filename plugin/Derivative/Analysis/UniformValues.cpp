//===- UniformValues.cpp - what is the same for all threads of a block or warp ----------------------------------===//

#include "Derivative/Analysis/UniformValues.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
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

} // namespace

/// The branches that decide by which edge a thread comes to Join: those behind its immediate dominator, and that of the
/// dominator itself, of which more than one side leads there.
static SmallVector<const BasicBlock *, 4>
decidersOf(const BasicBlock *Join, const DominatorTree &Dominators,
           const DenseMap<const BasicBlock *, UniformValues::BlockSet> &Controls) {
  const DomTreeNode *Node = Dominators.getNode(Join);
  if (!Node || !Node->getIDom())
    return {};
  const BasicBlock *Top = Node->getIDom()->getBlock();
  UniformValues::BlockSet Between, Candidates;
  SmallVector<const BasicBlock *, 8> Work(predecessors(Join));
  for (const BasicBlock *From : Work) {
    Candidates.insert(From);
    Candidates.insert_range(Controls.find(From)->second);
  }
  while (!Work.empty())
    if (const BasicBlock *Block = Work.pop_back_val(); Between.insert(Block).second && Block != Top)
      Work.append(pred_begin(Block), pred_end(Block));
  SmallVector<const BasicBlock *, 4> Found;
  for (const BasicBlock *Branch : Candidates) {
    UniformValues::BlockSet Ways;
    for (const BasicBlock *Next : successors(Branch))
      if (Next == Join || (Next != Top && Between.contains(Next)))
        Ways.insert(Next);
    if (Between.contains(Branch) && Ways.size() > 1)
      Found.push_back(Branch);
  }
  return Found;
}

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
  const auto &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  for (const BasicBlock &Block : *P.F)
    if (Block.hasNPredecessorsOrMore(2) && !Loops.isLoopHeader(&Block))
      Deciders[&Block] = decidersOf(&Block, Dominators, Controls);
  for (const Instruction &I : instructions(*P.F))
    if (MemoryAccess Access = accessOf(I); Access.Stored)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        Written.insert(O);
  Changed = true;
  while (Changed) {
    Changed = false;
    for (const Instruction &I : instructions(*P.F)) {
      Level Now = levelOf(I);
      if (Now > Warp && IsOfWarp && IsOfWarp(I))
        Now = Warp;
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
  if (Name.starts_with("llvm.nvvm.read.ptx.sreg.") && !Name.ends_with(".warpsize"))
    return Thread;
  if (Callee && isBarrier(*Callee))
    return Block;
  if (Callee && isShuffle(*Callee)) {
    if (Operands == Block)
      return Block;
    const auto *Width = dyn_cast<ConstantInt>(Call.getArgOperand(3));
    bool IsOneLane =
        Name.starts_with("kernix.shfl.idx.") && Width && Width->equalsInt(32) && (!Which.All || namesAllLanes(Call));
    return IsOneLane ? std::max({Warp, of(Call.getArgOperand(0)), of(Call.getArgOperand(2))}) : Thread;
  }
  if (Callee && isCollective(*Callee)) {
    if (Name.starts_with("kernix.match_any") || (Which.All && !namesAllLanes(Call)))
      return Thread;
    // Lanes that name other ones have another result.
    return Call.arg_empty() ? Warp : std::max(Warp, of(Call.getArgOperand(0)));
  }
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
  if (auto Found = Deciders.find(Join); Found != Deciders.end())
    for (const BasicBlock *Branch : Found->second)
      Result = std::max(Result, ofBranch(Branch));
  for (const BasicBlock *From : Phi.blocks()) {
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
