//===- IndexRanges.cpp - that integers of few bits do not wrap around -------------------------------------------===//
//
// An integer is what its polynomial says only as long as no operation on the way leaves the range of its type. Flags,
// loop bounds and questions to the launch say so; otherwise the integer has no form.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

/// The header's phi that V is the next value of.
static const PHINode *headerPhiOf(const Value *V, const LoopInfo &Loops) {
  const auto *I = dyn_cast<Instruction>(V);
  const Loop *L = I ? Loops.getLoopFor(I->getParent()) : nullptr;
  for (; L; L = L->getParentLoop())
    for (const PHINode &Phi : L->getHeader()->phis())
      if (L->getLoopLatch() && Phi.getIncomingValueForBlock(L->getLoopLatch()) == V)
        return &Phi;
  return nullptr;
}

/// That an argument is at most 1, or a product is no more than its other factors: a loop that runs once stores to no
/// element twice, but nobody would write it.
static bool isTrivial(const Polynomial &P, ArrayRef<AtomMeaning> Atoms) {
  const auto IsPositive = [](const auto &Term) { return Term.second > 0; };
  if (count_if(P.terms(), IsPositive) != 1)
    return false;
  const auto &[Room, Times] = *find_if(P.terms(), IsPositive);
  return any_of(P.terms(), [&](const auto &Term) {
    std::optional<Monomial> Factors = Term.second < 0 ? divide(Term.first, Room) : std::nullopt;
    return Factors && Times < -2 * Term.second &&
           any_of(*Factors, [&](unsigned A) { return Atoms[A].Kind == AtomMeaning::Uniform; });
  });
}

bool IndexForms::assume(const Polynomial &P, LaunchConditions &Assumed) {
  if (P.isBroken())
    return false;
  if (isNeverNegative(P))
    return true;
  for (const auto &[M, C] : P.terms())
    if (any_of(M, [&](unsigned A) {
          return Atoms[A].Kind != AtomMeaning::Extent && Atoms[A].Kind != AtomMeaning::Uniform;
        }))
      return false;
  // Something must be able to make it true.
  if (none_of(P.terms(), [](const auto &Term) { return Term.second > 0; }) ||
      isNeverNegative(Polynomial::constant(-1) - P) || (OfOneThread && isTrivial(P, Atoms)))
    return false;
  // Nor may it contradict what is assumed already.
  Polynomial Smallest = P.withoutCommonFactor();
  if (any_of(Assumed, [&](const Polynomial &Known) {
        Polynomial Sum = Known + Smallest;
        return Sum.isConstant() && Sum.constantTerm() < 0;
      }))
    return false;
  Assumed.insert(std::move(Smallest));
  return true;
}

bool IndexForms::assumeNeverNegative(const Polynomial &P, LaunchConditions &Assumed) {
  std::optional<Polynomial> Least = leastOf(P);
  if (!Least || !assume(*Least, Assumed))
    return false;
  assumeBounds(P, Assumed);
  return true;
}

bool IndexForms::assumeInRange(const Polynomial &P, unsigned Bits, LaunchConditions &Assumed) {
  std::optional<Polynomial> Least = leastOf(P), Most = mostOf(P);
  int64_t Edge = int64_t(1) << (Bits - 1);
  if (!Least || !Most || Edge >= (int64_t(1) << 40) || !assume(*Least + Polynomial::constant(Edge), Assumed) ||
      !assume(Polynomial::constant(Edge - 1) - *Most, Assumed))
    return false;
  assumeBounds(P, Assumed);
  return true;
}

/// Of 64 bits or fewer, computed from what has at most 32.
bool IndexForms::isOfInts(const Value *V, unsigned Depth) const {
  if (isa<ConstantInt>(V) || V->getType()->getIntegerBitWidth() <= 32)
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 12)
    return false;
  if (isa<SExtInst, ZExtInst>(I))
    return true;
  if (isa<BinaryOperator, FreezeInst>(I))
    return !I->isIntDivRem() && all_of(I->operands(), [&](const Use &U) { return isOfInts(U, Depth + 1); });
  // A counter goes through all numbers on the way. Its step is added to itself.
  const auto *Phi = dyn_cast<PHINode>(I);
  const Loop *L = Phi ? Loops.getLoopFor(Phi->getParent()) : nullptr;
  if (!L || L->getHeader() != Phi->getParent())
    return Phi && Phi->getNumIncomingValues() == 1 && isOfInts(Phi->getIncomingValue(0), Depth + 1);
  return all_of(Phi->incoming_values(), [&](const Use &U) {
    const auto *Next = dyn_cast<BinaryOperator>(U);
    bool IsNext = Next && is_contained(Next->operands(), Phi);
    return IsNext ? all_of(Next->operands(), [&](const Use &By) { return By == Phi || isOfInts(By, Depth + 1); })
                  : isOfInts(U, Depth + 1);
  });
}

/// The low bits of a number as the number itself.
std::optional<Polynomial> IndexForms::formOfLowBits(const Instruction &I, unsigned Bits, LaunchConditions &Assumed) {
  std::optional<Polynomial> P = form(I.getOperand(0), Assumed);
  if (!P || !MayWrap || isOfInts(I.getOperand(0)))
    return P;
  // Of a stride nothing can be asked.
  if (any_of(P->terms(), [&](const auto &Term) { return any_of(Term.first, [&](unsigned A) { return isStride(A); }); }))
    return P;
  LaunchConditions Needed = Assumed;
  if (!assumeInRange(*P, Bits, Needed))
    return std::nullopt;
  Assumed = std::move(Needed);
  return P;
}

/// How large V can be, if no operation on the way wraps around: sums and products of numbers that are not negative.
std::optional<Polynomial> IndexForms::mostOfValue(const Value *V, LaunchConditions &Assumed) {
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->isNegative() ? std::nullopt : std::optional(Polynomial::constant(C->getSExtValue()));
  if (std::optional<unsigned> Atom = geometryAtom(V))
    return mostOf(Polynomial::atom(*Atom));
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return std::nullopt;
  auto Both = [&](auto Combine) -> std::optional<Polynomial> {
    std::optional<Polynomial> A = mostOfValue(I->getOperand(0), Assumed);
    std::optional<Polynomial> B = A ? mostOfValue(I->getOperand(1), Assumed) : std::nullopt;
    return B ? std::optional<Polynomial>(Combine(*A, *B)) : std::nullopt;
  };
  switch (I->getOpcode()) {
  case Instruction::Add:
    return Both([](const Polynomial &A, const Polynomial &B) { return A + B; });
  case Instruction::Mul:
    return Both([](const Polynomial &A, const Polynomial &B) { return A * B; });
  case Instruction::Shl: {
    const auto *By = dyn_cast<ConstantInt>(I->getOperand(1));
    std::optional<Polynomial> A = By && By->getValue().ult(31) ? mostOfValue(I->getOperand(0), Assumed) : std::nullopt;
    return A ? std::optional(A->scaled({}, int64_t(1) << By->getZExtValue())) : std::nullopt;
  }
  case Instruction::Freeze:
    return mostOfValue(I->getOperand(0), Assumed);
  case Instruction::ZExt:
  case Instruction::SExt: {
    const Value *Narrow = I->getOperand(0);
    if (isa<ZExtInst>(I) && Narrow->getType()->getIntegerBitWidth() < 32 && isUniform(I))
      return mostOf(Polynomial::atom(*atomOf(I, Assumed)));
    unsigned Bits = Narrow->getType()->getIntegerBitWidth() - isa<SExtInst>(I);
    return assumeExactUnsigned(Narrow, Bits, Assumed) ? mostOfValue(Narrow, Assumed) : std::nullopt;
  }
  case Instruction::PHI: {
    const auto &Phi = *cast<PHINode>(I);
    if (Phi.getNumIncomingValues() == 1)
      return mostOfValue(Phi.getIncomingValue(0), Assumed);
    std::optional<BoundedCounter> Loop = boundedCounter(Phi, Assumed);
    // It is below its bound, or what it started from.
    std::optional<Polynomial> Start = Loop ? mostOfValue(Loop->First, Assumed) : std::nullopt;
    std::optional<Polynomial> End = Start && assumeNeverNegative(Loop->End, Assumed) ? mostOf(Loop->End) : std::nullopt;
    return End && assumeExactPhi(Phi, Assumed) ? std::optional(*Start + *End) : std::nullopt;
  }
  default:
    return isUniform(V) ? mostOf(Polynomial::atom(*atomOf(V, Assumed))) : std::nullopt;
  }
}

/// That V, which has a form, is between 0 and 2^Bits, as its form is.
bool IndexForms::assumeExactUnsigned(const Value *V, unsigned Bits, LaunchConditions &Assumed) {
  if (Bits < 8 || Bits > 32)
    return false;
  std::optional<Polynomial> Most = mostOfValue(V, Assumed);
  return Most && assume(Polynomial::constant((int64_t(1) << Bits) - 1) - *Most, Assumed);
}

/// That V, a number of few bits, is what P says, and not that modulo a power of two.
bool IndexForms::assumeExact(const Value *V, const Polynomial &P, LaunchConditions &Assumed) {
  // An index of 64 bits that wraps around has left all memory.
  if (isa<ConstantInt>(V) || V->getType()->getIntegerBitWidth() == 64 || geometryAtom(V))
    return true;
  if (const Value *Way = chosenWay(V))
    return assumeExact(Way, P, Assumed);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getNumIncomingValues() == 1)
      return assumeExact(Phi->getIncomingValue(0), P, Assumed);
    if (isOwn(Phi))
      return true;
    return assumeExactPhi(*Phi, Assumed);
  }
  if (isa<SExtInst, ZExtInst>(I))
    return true;
  if (isa<TruncInst>(I) && I->hasNoSignedWrap())
    return assumeExact(I->getOperand(0), P, Assumed);
  if (const PHINode *Phi = headerPhiOf(V, Loops); Phi && !I->hasNoSignedWrap())
    if (assumeExactPhi(*Phi, Assumed, /*AndNext=*/true))
      return true;
  bool IsDisjointOr = isa<PossiblyDisjointInst>(I) && cast<PossiblyDisjointInst>(I)->isDisjoint();
  if (IsDisjointOr || (isa<OverflowingBinaryOperator>(I) && I->hasNoSignedWrap())) {
    for (const Use &Operand : I->operands()) {
      std::optional<Polynomial> Part = form(Operand, Assumed);
      if (!Part || !assumeExact(Operand, *Part, Assumed))
        return false;
    }
    return true;
  }
  if (isa<OverflowingBinaryOperator, TruncInst>(I) || I->getOpcode() == Instruction::Or) {
    unsigned Bits = V->getType()->getIntegerBitWidth();
    return assumeInRange(P, Bits, Assumed) || assumeExactUnsigned(V, Bits - 1, Assumed);
  }
  if (isNot(*I))
    return assumeExact(I->getOperand(0), Polynomial::constant(-1) - P, Assumed);
  if (isa<FreezeInst>(I))
    return assumeExact(I->getOperand(0), P, Assumed);
  // An atom: itself; a digit or a part of what is exact.
  return isUniform(V) || isOwnEverywhere(V) || SplitsDigits || SplitsIds || !Numbers.empty();
}

/// A variable of a loop that grows by what is not negative, as long as the next value is below a bound.
std::optional<IndexForms::BoundedCounter> IndexForms::boundedCounter(const PHINode &Phi, LaunchConditions &Assumed) {
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (!L || !L->getLoopLatch() || !L->getLoopPreheader() || L->getHeader() != Phi.getParent())
    return std::nullopt;
  const auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
  const auto *Branch = dyn_cast<BranchInst>(L->getLoopLatch()->getTerminator());
  const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Next || !Compare || Next->getOpcode() != Instruction::Add)
    return std::nullopt;
  CmpInst::Predicate Predicate =
      L->contains(Branch->getSuccessor(0)) ? Compare->getPredicate() : Compare->getInversePredicate();
  auto IsNext = [&](const Value *V) {
    return V == Next || (isa<SExtInst>(V) && cast<SExtInst>(V)->getOperand(0) == Next);
  };
  const Value *Bound = Compare->getOperand(1);
  if (IsNext(Bound)) {
    Bound = Compare->getOperand(0);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  } else if (!IsNext(Compare->getOperand(0))) {
    return std::nullopt;
  }
  if (Predicate != CmpInst::ICMP_SLT && Predicate != CmpInst::ICMP_ULT && Predicate != CmpInst::ICMP_SLE &&
      Predicate != CmpInst::ICMP_ULE)
    return std::nullopt;
  const ExactForms Exact(*this);
  const Value *Step = Next->getOperand(Next->getOperand(0) == &Phi ? 1 : 0);
  std::optional<Polynomial> By = form(Step, Assumed), End;
  // What is below a minimum is below both.
  SmallVector<const Value *, 4> Bounds = {Bound};
  for (size_t K = 0; K < Bounds.size() && !End; ++K) {
    const auto *Least = dyn_cast<MinMaxIntrinsic>(Bounds[K]);
    if (Least && Least->getIntrinsicID() == (CmpInst::isUnsigned(Predicate) ? Intrinsic::umin : Intrinsic::smin)) {
      Bounds.append({Least->getLHS(), Least->getRHS()});
      continue;
    }
    LaunchConditions Needed = Assumed;
    std::optional<Polynomial> P = form(Bounds[K], Needed);
    if (!P || !assumeExact(Bounds[K], *P, Needed) || !mostOf(*P))
      continue;
    End = std::move(P);
    Assumed = std::move(Needed);
  }
  if (!By || !End || !L->isLoopInvariant(Bound))
    return std::nullopt;
  if (!assumeNeverNegative(*By, Assumed))
    return std::nullopt;
  // Unsigned, a negative number is a large one.
  if (CmpInst::isUnsigned(Predicate) &&
      !isNeverNegative(*End, std::vector<Fact>(factsAt(L->getLoopPreheader())), Assumed, /*MayAssume=*/true))
    return std::nullopt;
  return BoundedCounter{Phi.getIncomingValueForBlock(L->getLoopPreheader()), *By, *End};
}

/// A loop's variable stays in range: by its flags, or since each value is compared with a bound before it is used, and
/// the bound is far enough from the end of the range. AndNext: what the last iteration makes of it, too.
bool IndexForms::assumeExactPhi(const PHINode &Phi, LaunchConditions &Assumed, bool AndNext) {
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (!L || !L->getLoopLatch() || !L->getLoopPreheader() || L->getHeader() != Phi.getParent())
    return false;
  if (Phi.getType()->getIntegerBitWidth() == 64)
    return true;
  const Value *First = Phi.getIncomingValueForBlock(L->getLoopPreheader());
  std::optional<Polynomial> Start = form(First, Assumed);
  if (!Start || !assumeExact(First, *Start, Assumed))
    return false;
  const auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
  if (!Next || !is_contained(Next->operands(), &Phi))
    return false;
  // That sums do not wrap around says nothing of the step.
  const Value *Step = Next->getOperand(Next->getOperand(0) == &Phi ? 1 : 0);
  std::optional<Polynomial> By = form(Step, Assumed);
  if (!By || !assumeExact(Step, *By, Assumed))
    return false;
  if (Next->hasNoSignedWrap())
    return true;
  const unsigned Bits = Phi.getType()->getIntegerBitWidth();
  auto *Asked = const_cast<Instruction *>(AndNext ? static_cast<const Instruction *>(Next) : &Phi);
  // Where the recurrence starts, the sum may have wrapped around already.
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(Asked));
      Recurrence && Recurrence->hasNoSignedWrap() && (!AndNext || assumeInRange(*Start + *By, Bits, Assumed)))
    return true;
  std::optional<BoundedCounter> Loop = boundedCounter(Phi, Assumed);
  if (!Loop)
    return false;
  assumeBounds(Loop->End, Assumed); // boundedCounter has asked for those of the step
  std::optional<Polynomial> Most = mostOf(Loop->By), Last = mostOf(Loop->End);
  if (!Most || !Last || !assumeNeverNegative(*Start, Assumed) ||
      !assumeInRange(*Last + *Most + Polynomial::constant(1), Bits, Assumed))
    return false;
  // The first value is compared with nothing, but for what is asked before the loop.
  const std::vector<Fact> Before = factsAt(L->getLoopPreheader());
  return isNeverNegative(Loop->End - *Start, Before, Assumed, /*MayAssume=*/false) ||
         assumeInRange(*Start + Loop->By, Bits, Assumed);
}
