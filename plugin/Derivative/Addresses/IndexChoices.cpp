//===- IndexChoices.cpp - indices that a condition chooses which all threads have in common ---------------------===//
//
// `int first = interleaved ? 2 * i : i;` is one of two indices, and the same one in all threads and iterations. What is
// true of an address is shown for each value of the condition.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

/// The branch whose ways meet in the block of a phi that is no loop's.
static const BranchInst *branchAbove(const PHINode &Phi, const DominatorTree &Dominators, const LoopInfo &Loops) {
  if (Phi.getNumIncomingValues() < 2 || Loops.isLoopHeader(Phi.getParent()))
    return nullptr;
  const auto *Branch =
      dyn_cast<BranchInst>(Dominators.getNode(Phi.getParent())->getIDom()->getBlock()->getTerminator());
  return Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) ? Branch : nullptr;
}

SmallVector<const Value *, 2> IndexForms::sharedChoices(ArrayRef<const Value *> Addresses) {
  constexpr size_t Most = 256;
  SetVector<const Value *> Used(Addresses.begin(), Addresses.end());
  SmallSetVector<const Value *, 2> Found;
  for (size_t K = 0; K < Used.size() && Used.size() < Most; ++K) {
    const auto *I = dyn_cast<Instruction>(Used[K]);
    if (!I || isa<LoadInst, CallBase>(I))
      continue;
    const Value *Condition = nullptr;
    if (const auto *Select = dyn_cast<SelectInst>(I))
      Condition = Select->getCondition();
    else if (const auto *Phi = dyn_cast<PHINode>(I))
      if (const BranchInst *Branch = branchAbove(*Phi, Dominators, Loops))
        Condition = Branch->getCondition();
    if (Condition && !isa<Constant>(Condition) && isUniform(Condition))
      Found.insert(Condition);
    for (const Value *Operand : I->operands())
      if (isa<Instruction>(Operand))
        Used.insert(Operand);
  }
  return SmallVector<const Value *, 2>(Found.begin(), Found.end());
}

void IndexForms::choose(std::map<const Value *, bool> Given) {
  Chosen = std::move(Given);
  Facts.clear();
  Counts.clear();
  CountAssumptions.clear();
  OtherCounters.clear();
}

const Value *IndexForms::chosenWay(const Value *V) const {
  if (Chosen.empty())
    return nullptr;
  if (const auto *Select = dyn_cast<SelectInst>(V)) {
    auto Found = Chosen.find(Select->getCondition());
    return Found == Chosen.end() ? nullptr : Found->second ? Select->getTrueValue() : Select->getFalseValue();
  }
  const auto *Phi = dyn_cast<PHINode>(V);
  const BranchInst *Branch = Phi ? branchAbove(*Phi, Dominators, Loops) : nullptr;
  auto Found = Branch ? Chosen.find(Branch->getCondition()) : Chosen.end();
  if (Found == Chosen.end())
    return nullptr;
  const BasicBlockEdge NotTaken(Branch->getParent(), Branch->getSuccessor(Found->second ? 1 : 0));
  const Value *Way = nullptr;
  for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K) {
    const BasicBlock *From = Phi->getIncomingBlock(K);
    if (From == NotTaken.getStart() ? Phi->getParent() == NotTaken.getEnd() : Dominators.dominates(NotTaken, From))
      continue;
    if (Way && Way != Phi->getIncomingValue(K))
      return nullptr;
    Way = Phi->getIncomingValue(K);
  }
  return Way;
}

std::map<const Value *, bool> IndexForms::sharedConditionsAt(const BasicBlock *Block) {
  std::map<const Value *, bool> Result;
  for (auto *Node = Dominators.getNode(Block)->getIDom(); Node; Node = Node->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
        !isUniform(Branch->getCondition()))
      continue;
    for (unsigned K = 0; K < 2; ++K)
      if (Dominators.dominates(BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(K)), Block))
        Result[Branch->getCondition()] = K == 0;
  }
  return Result;
}
