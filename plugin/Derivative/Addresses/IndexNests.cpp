//===- IndexNests.cpp - what the loops of a nest count together -------------------------------------------------===//
//
//   for (int i = 0; i < rows; ++i)
//     for (int j = 0; j < columns; ++j)
//       *to = ..., to += step;
//
// In the outer loop, `to` starts where the inner loop has left it: it moves on by columns * step. That is so only if
// the inner loop has run in each earlier iteration, and as often as its count says.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

/// Whether a way leads from one block to another in the same iteration of L, though not over this one (or null).
static bool isReached(const BasicBlock *From, const BasicBlock *To, const Loop &L, const BasicBlock *Without) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work = {From};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (Block == To)
      return true;
    for (const BasicBlock *Next : successors(Block))
      if (L.contains(Next) && Next != L.getHeader() && Next != Without && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return false;
}

/// The loop right inside L that a block is in; null: none.
static const Loop *childAround(const BasicBlock *Block, const Loop &L, const LoopInfo &Loops) {
  const Loop *Child = Loops.getLoopFor(Block);
  while (Child && Child != &L && Child->getParentLoop() != &L)
    Child = Child->getParentLoop();
  return Child == &L ? nullptr : Child;
}

bool IndexForms::countsIn(const Polynomial &P, const Loop &L) const {
  return any_of(P.terms(), [&](const auto &Term) {
    return any_of(Term.first, [&](unsigned A) { return Atoms[A].L && L.contains(Atoms[A].L); });
  });
}

/// Whether Inner, which runs in one iteration of L, has run in all that came before it, those of earlier entries of L
/// among them.
bool IndexForms::runsAlways(const Loop &Inner, const Loop &L) {
  const BasicBlock *To = Inner.getLoopPreheader(), *Latch = L.getLoopLatch();
  while (To && To != L.getHeader()) {
    const BasicBlock *From = Dominators.getNode(To)->getIDom()->getBlock();
    if (!L.contains(From))
      return false;
    if (isReached(From, Latch, L, /*Without=*/To)) {
      // A branch that goes the same way each time.
      const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
      if (!Branch || !Branch->isConditional() || To->getSinglePredecessor() != From ||
          !(L.getOutermostLoop()->isLoopInvariant(Branch->getCondition()) || isUniform(Branch->getCondition())))
        return false;
    }
    To = From;
  }
  return To && Latch;
}

/// Whether the way from Block to Next is not gone in any iteration before the one in which a loop runs that is known
/// to.
bool IndexForms::isNeverTaken(const BasicBlock *Block, const BasicBlock *Next, const Loop &L) {
  for (const Loop *Inner : Running) {
    if (Inner->getParentLoop() != &L || Inner->contains(Block) || Inner->contains(Next) || !Inner->getLoopPreheader() ||
        !Inner->getExitBlock() || !runsAlways(*Inner, L))
      continue;
    if (!isReached(Next, Inner->getHeader(), L, nullptr) && !isReached(Inner->getHeader(), Block, L, nullptr))
      return true;
  }
  return false;
}

/// How far V, when it was last computed in an iteration of L, is from what Phi of L's header is in that iteration.
std::optional<Polynomial> IndexForms::distance(const Value *V, const PHINode &Phi, const Loop &L, Nest &N,
                                               unsigned Depth) {
  if (V == &Phi)
    return Polynomial();
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 12 || !L.contains(I))
    return std::nullopt;
  if (const Loop *Inner = childAround(I->getParent(), L, Loops))
    return distanceBehind(*I, *Inner, Phi, L, N, Depth + 1);
  auto From = [&](const Value *Other) { return distance(Other, Phi, L, N, Depth + 1); };
  if (const auto *Join = dyn_cast<PHINode>(I)) {
    if (Join->getParent() == L.getHeader())
      return std::nullopt;
    std::optional<Polynomial> Same;
    for (unsigned K = 0; K < Join->getNumIncomingValues(); ++K) {
      if (Join->getNumIncomingValues() > 1 && isNeverTaken(Join->getIncomingBlock(K), Join->getParent(), L))
        continue;
      std::optional<Polynomial> Way = From(Join->getIncomingValue(K));
      if (!Way || (Same && !(*Same == *Way)))
        return std::nullopt;
      Same = Way;
    }
    return Same;
  }
  if (const auto *Gep = dyn_cast<GEPOperator>(I)) {
    SmallMapVector<Value *, APInt, 4> Variables;
    APInt Bytes(64, 0);
    std::optional<Polynomial> Sum = From(Gep->getPointerOperand());
    if (!Sum || !Gep->collectOffset(I->getDataLayout(), 64, Variables, Bytes))
      return std::nullopt;
    Sum = *Sum + Polynomial::constant(Bytes.getSExtValue());
    const ExactForms Exact(*this); // many steps may come back to where one is
    for (auto &[Index, Scale] : Variables) {
      std::optional<Polynomial> Part = form(Index, N.Assumed);
      if (!Part || !assumeExact(Index, *Part, N.Assumed))
        return std::nullopt;
      Sum = *Sum + Part->scaled({}, Scale.getSExtValue());
    }
    return Sum;
  }
  // `int` that is kept in 64 bits.
  const Value *Whole = nullptr;
  if (MayWrap && I->getType()->isIntegerTy(64) &&
      (match(I, m_AShr(m_Shl(m_Value(Whole), m_SpecificInt(32)), m_SpecificInt(32))) ||
       match(I, m_SExt(m_Trunc(m_Value(Whole))))) &&
      Whole->getType()->isIntegerTy(64)) {
    if (isa<SExtInst>(I) && !I->getOperand(0)->getType()->isIntegerTy(32))
      return std::nullopt;
    N.IsOfInts = true;
    return From(Whole);
  }
  const bool IsSum = I->getOpcode() == Instruction::Add;
  if (!IsSum && I->getOpcode() != Instruction::Sub)
    return std::nullopt;
  N.IsOfInts |= !I->getType()->isIntegerTy(64) && !I->hasNoSignedWrap();
  for (unsigned K = 0; K < (IsSum ? 2U : 1U); ++K)
    if (std::optional<Polynomial> Way = From(I->getOperand(K))) {
      const ExactForms Exact(*this);
      const Value *Step = I->getOperand(1 - K);
      std::optional<Polynomial> By = form(Step, N.Assumed);
      return By && assumeExact(Step, *By, N.Assumed) ? std::optional(IsSum ? *Way + *By : *Way - *By) : std::nullopt;
    }
  return std::nullopt;
}

/// The same of I, a value of a loop inside L, as the last iteration has left it.
std::optional<Polynomial> IndexForms::distanceBehind(const Instruction &I, const Loop &Inner, const PHINode &Phi,
                                                     const Loop &L, Nest &N, unsigned Depth) {
  const BasicBlock *Latch = Inner.getLoopLatch(), *Before = Inner.getLoopPreheader();
  if (!Latch || !Before || Inner.getExitingBlock() != Latch || !Dominators.dominates(I.getParent(), Latch))
    return std::nullopt;
  for (const PHINode &Counted : Inner.getHeader()->phis()) {
    if (Counted.getType() != I.getType())
      continue;
    const size_t Mark = N.Assumed.size();
    std::optional<Polynomial> Last = distance(&I, Counted, Inner, N, Depth), By, Start;
    if (Last)
      By = distance(Counted.getIncomingValueForBlock(Latch), Counted, Inner, N, Depth);
    if (By)
      Start = distance(Counted.getIncomingValueForBlock(Before), Phi, L, N, Depth);
    if (!Start || countsIn(*Last, Inner) || countsIn(*By, Inner)) {
      if (N.Assumed.size() != Mark)
        return std::nullopt; // nothing is to be left of it
      continue;
    }
    std::optional<Polynomial> Times = timesRepeated(Inner, N.Assumed);
    return Times ? std::optional(*Start + *By * *Times + *Last) : std::nullopt;
  }
  return std::nullopt;
}

/// How far Phi moves on in each iteration of L.
std::optional<Polynomial> IndexForms::stepInNest(const PHINode &Phi, const Loop &L, Nest &N) {
  std::optional<Polynomial> By = distance(Phi.getIncomingValueForBlock(L.getLoopLatch()), Phi, L, N, 0);
  return By && !By->isBroken() && !countsIn(*By, L) ? By : std::nullopt;
}

std::optional<Polynomial> IndexForms::formInNest(const PHINode &Phi, const Loop &L, LaunchConditions &Assumed) {
  Nest N{Assumed};
  std::optional<Polynomial> By = stepInNest(Phi, L, N);
  std::optional<Polynomial> Start =
      By ? form(Phi.getIncomingValueForBlock(L.getLoopPreheader()), N.Assumed) : std::nullopt;
  if (!Start)
    return fail(&Phi);
  Polynomial Moved = By->scaled({counterOf(&L)}, 1) + *Start;
  // What is no int any more, or wraps around as an unsigned one does, may have become another number on the way.
  if (Moved.isBroken() || (N.IsOfInts && !assumeInRange(Moved + *By, 32, N.Assumed)))
    return fail(&Phi);
  Assumed = std::move(N.Assumed);
  return Moved;
}
