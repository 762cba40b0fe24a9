//===- IndexFacts.cpp - inequalities that hold where a block runs -----------------------------------------------===//
//
// The branches that lead to a block, and the conditions by which the loops around it go on, as polynomials that are not
// negative there.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

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
  const Value *A = Compare->getOperand(0), *B = Compare->getOperand(1);
  CmpInst::Predicate Predicate = Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  if (Predicate == CmpInst::ICMP_EQ) {
    addFactsOfOrder({A, B, /*IsStrict=*/false, /*IsUnsigned=*/false}, Into);
    addFactsOfOrder({B, A, /*IsStrict=*/false, /*IsUnsigned=*/false}, Into);
    return;
  }
  // As `small < large`.
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
    std::swap(A, B);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate))
    addFactsOfOrder({A, B, ICmpInst::isLT(Predicate), CmpInst::isUnsigned(Predicate)}, Into);
}

void IndexForms::addFactsOfOrder(const Order &O, std::vector<Fact> &Into) {
  // `k < min(a, b)` is less than both.
  auto Choice = [&](const Value *V, Intrinsic::ID Signed, Intrinsic::ID Unsigned) {
    if (isa<SExtInst>(V) && !O.IsUnsigned)
      V = cast<SExtInst>(V)->getOperand(0);
    const auto *Call = dyn_cast<MinMaxIntrinsic>(V);
    return Call && Call->getIntrinsicID() == (O.IsUnsigned ? Unsigned : Signed) ? Call : nullptr;
  };
  if (const auto *Least = Choice(O.Large, Intrinsic::smin, Intrinsic::umin)) {
    addFactsOfOrder({O.Small, Least->getLHS(), O.IsStrict, O.IsUnsigned}, Into);
    addFactsOfOrder({O.Small, Least->getRHS(), O.IsStrict, O.IsUnsigned}, Into);
    return;
  }
  if (const auto *Most = Choice(O.Small, Intrinsic::smax, Intrinsic::umax)) {
    addFactsOfOrder({Most->getLHS(), O.Large, O.IsStrict, O.IsUnsigned}, Into);
    addFactsOfOrder({Most->getRHS(), O.Large, O.IsStrict, O.IsUnsigned}, Into);
    return;
  }
  const Value *Kept = Obstacle;
  const ExactForms Exact(*this);
  Fact F;
  std::optional<Polynomial> A = form(O.Small, F.Assumed), B = A ? form(O.Large, F.Assumed) : A;
  bool IsKnown = A && B && assumeExact(O.Small, *A, F.Assumed) && assumeExact(O.Large, *B, F.Assumed);
  Obstacle = Kept;
  if (!IsKnown)
    return;
  assumeBounds(*A, F.Assumed);
  assumeBounds(*B, F.Assumed);
  auto Add = [&](const Polynomial &Form) { Into.push_back({Form, F.Assumed}); };
  if (O.IsUnsigned) {
    // A negative number is large when it is taken as unsigned.
    if (!assumeNeverNegative(*B, F.Assumed))
      return;
    Add(*A);
  }
  Add(*B - *A - Polynomial::constant(O.IsStrict ? 1 : 0));
}

/// Of a loop that counts up by ones, `next != end` goes on where `next < end`: both numbers. Null: it is none.
static std::pair<const Value *, const Value *> countedByOnes(const BranchInst &Branch, const Loop &L,
                                                             ScalarEvolution &Evolution) {
  const auto *Compare = dyn_cast<ICmpInst>(Branch.getCondition());
  if (!Compare || !Compare->isEquality() ||
      (Compare->getPredicate() == CmpInst::ICMP_NE) != (Branch.getSuccessor(0) == L.getHeader()))
    return {};
  for (unsigned K = 0; K < 2; ++K) {
    const auto *Next = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(Compare->getOperand(K)));
    const SCEV *End = Evolution.getSCEV(Compare->getOperand(1 - K));
    if (Next && Next->getLoop() == &L && Next->isAffine() && Next->getStepRecurrence(Evolution)->isOne() &&
        Evolution.isLoopInvariant(End, &L) &&
        Evolution.isLoopEntryGuardedByCond(
            &L, CmpInst::ICMP_SLT, Evolution.getMinusSCEV(Next->getStart(), Evolution.getOne(Next->getType())), End))
      return {Compare->getOperand(K), Compare->getOperand(1 - K)};
  }
  return {};
}

const std::vector<Fact> &IndexForms::factsAt(const BasicBlock *Block) {
  if (auto Found = Facts.find(Block); Found != Facts.end())
    return Found->second;
  const NoneRunning Anywhere(*this); // what is known here is asked for elsewhere, too
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
    if (auto [Next, End] = countedByOnes(*Branch, *L, Evolution); Next)
      addFactsOfOrder({Next, End, /*IsStrict=*/true, /*IsUnsigned=*/false}, OfNext);
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
