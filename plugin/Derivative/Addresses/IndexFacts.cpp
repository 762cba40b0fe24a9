//===- IndexFacts.cpp - inequalities that hold where a block runs -----------------------------------------------===//
//
// The branches that lead to a block, and the conditions by which the loops around it go on, as polynomials that are not
// negative there.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

/// `bool inside = a && b;` where b is computed behind a branch on a: it can be WhatHolds along one edge only.
void IndexForms::addFactsOfPhi(const PHINode &Phi, bool WhatHolds, std::vector<Fact> &Into) {
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  std::optional<unsigned> Way;
  for (unsigned K = 0; K < Phi.getNumIncomingValues(); ++K) {
    const auto *C = dyn_cast<ConstantInt>(Phi.getIncomingValue(K));
    if (C && C->isOne() != WhatHolds)
      continue;
    if (Way)
      return;
    Way = K;
  }
  if (!Way || (L && L->getHeader() == Phi.getParent()) || Loops.getLoopFor(Phi.getIncomingBlock(*Way)) != L ||
      !Open.insert(&Phi).second)
    return;
  scope_exit Close([&] { Open.erase(&Phi); });
  addFacts(Phi.getIncomingValue(*Way), WhatHolds, Into);
  append_range(Into, std::vector<Fact>(factsAt(Phi.getIncomingBlock(*Way))));
}

void IndexForms::addFacts(const Value *Condition, bool Holds, std::vector<Fact> &Into) {
  const auto *I = dyn_cast<Instruction>(Condition);
  if (!I)
    return;
  if (const auto *Phi = dyn_cast<PHINode>(I))
    return addFactsOfPhi(*Phi, Holds, Into);
  auto IsBool = [](const Value *V, bool Wanted) {
    const auto *C = dyn_cast<ConstantInt>(V);
    return C && C->isOne() == Wanted;
  };
  if (I->getOpcode() == Instruction::Xor && IsBool(I->getOperand(1), true))
    return addFacts(I->getOperand(0), !Holds, Into);
  bool IsAnd = I->getOpcode() == Instruction::And, IsOr = I->getOpcode() == Instruction::Or;
  const Value *First = nullptr, *Second = nullptr;
  if (IsAnd || IsOr) {
    First = I->getOperand(0);
    Second = I->getOperand(1);
  } else if (const auto *Select = dyn_cast<SelectInst>(I)) {
    First = Select->getCondition();
    IsAnd = IsBool(Select->getFalseValue(), false);
    IsOr = !IsAnd && IsBool(Select->getTrueValue(), true);
    Second = IsAnd ? Select->getTrueValue() : Select->getFalseValue();
  }
  if (IsAnd || IsOr) {
    if (IsAnd == Holds) {
      addFacts(First, Holds, Into);
      addFacts(Second, Holds, Into);
    }
    return;
  }
  const auto *Compare = dyn_cast<ICmpInst>(I);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return;
  const Value *Kept = Obstacle;
  Fact F;
  std::optional<Polynomial> A = form(Compare->getOperand(0), F.Assumed),
                            B = A ? form(Compare->getOperand(1), F.Assumed) : A;
  bool IsKnown = A && B && assumeExact(Compare->getOperand(0), *A, F.Assumed) &&
                 assumeExact(Compare->getOperand(1), *B, F.Assumed);
  Obstacle = Kept;
  if (!IsKnown)
    return;
  assumeBounds(*A, F.Assumed);
  assumeBounds(*B, F.Assumed);
  auto Add = [&](const Polynomial &Form) { Into.push_back({Form, F.Assumed}); };
  CmpInst::Predicate Predicate = Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  if (Predicate == CmpInst::ICMP_EQ) {
    Add(*A - *B);
    Add(*B - *A);
    return;
  }
  // As `small < large`.
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
    std::swap(A, B);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (!ICmpInst::isLT(Predicate) && !ICmpInst::isLE(Predicate))
    return;
  if (CmpInst::isUnsigned(Predicate)) {
    // A negative number is large when it is taken as unsigned.
    if (!assumeNeverNegative(*B, F.Assumed))
      return;
    Add(*A);
  }
  Add(*B - *A - Polynomial::constant(ICmpInst::isLT(Predicate) ? 1 : 0));
}

const std::vector<Fact> &IndexForms::factsAt(const BasicBlock *Block) {
  if (auto Found = Facts.find(Block); Found != Facts.end())
    return Found->second;
  std::vector<Fact> List;
  for (auto *Node = Dominators.getNode(Block)->getIDom(); Node; Node = Node->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    for (unsigned K = 0; K < 2; ++K)
      if (Dominators.dominates(BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(K)), Block))
        addFacts(Branch->getCondition(), K == 0, List);
  }
  // What holds for the next iteration where a loop goes on, and for its first, holds for each.
  for (const Loop *L = Loops.getLoopFor(Block); L; L = L->getParentLoop()) {
    const BasicBlock *Latch = L->getLoopLatch();
    const auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    if (!Branch || !Branch->isConditional() || !L->getLoopPreheader())
      continue;
    std::vector<Fact> OfNext;
    addFacts(Branch->getCondition(), Branch->getSuccessor(0) == L->getHeader(), OfNext);
    unsigned Counter = counterOf(L);
    for (Fact &F : OfNext) {
      Polynomial Here, AtFirst;
      bool IsLinear = true;
      for (const auto &[M, C] : F.Form.terms()) {
        // A loop inside has another count in the next iteration, and what changes in other ways is another number.
        for (unsigned A : M)
          IsLinear &= Atoms[A].Kind != AtomMeaning::Counter || A == Counter || !L->contains(Atoms[A].L);
        std::optional<Monomial> Others = divide(M, {Counter});
        Here.add(M, C);
        if (Others) {
          Here.add(*Others, -C);
          IsLinear &= !is_contained(*Others, Counter);
        }
      }
      for (const auto &[M, C] : Here.terms())
        if (!divide(M, {Counter}))
          AtFirst.add(M, C);
      std::vector<Fact> Before = factsAt(L->getLoopPreheader());
      if (IsLinear && isNeverNegative(AtFirst, Before, F.Assumed, false))
        List.push_back({Here, F.Assumed});
    }
  }
  return Facts[Block] = std::move(List);
}
