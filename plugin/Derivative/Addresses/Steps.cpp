//===- Steps.cpp - what is known of the step of an address ------------------------------------------------------===//

#include "Derivative/Addresses/Steps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

uint64_t kernix::constantFactor(const SCEV *S) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().abs().getLimitedValue();
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
    // Of a byte that wraps around, and of some bits of a number, what is a power of two goes on dividing it.
    uint64_t Inner = constantFactor(Cast->getOperand());
    unsigned Bits =
        std::min(Cast->getType()->getScalarSizeInBits(), Cast->getOperand()->getType()->getScalarSizeInBits());
    return Bits < 32 || isa<SCEVTruncateExpr>(Cast) ? Inner & (~Inner + 1) : Inner;
  }
  uint64_t Factor = 1;
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S))
    for (const SCEV *Operand : Product->operands())
      Factor *= constantFactor(Operand);
  return Factor;
}

static bool isNonZero(const SCEV *S) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return !C->getAPInt().isZero();
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S); Cast && !isa<SCEVTruncateExpr>(Cast))
    return isNonZero(Cast->getOperand());
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S))
    return all_of(Product->operands(), isNonZero);
  const auto *Unknown = dyn_cast<SCEVUnknown>(S);
  const Value *V = Unknown ? Unknown->getValue() : nullptr;
  // A product that scalar evolution does not look into, since it may wrap.
  if (const auto *Product = dyn_cast_or_null<BinaryOperator>(V); Product && Product->getOpcode() == Instruction::Mul) {
    auto IsExtent = [](const Value *Factor) {
      const auto *Call = dyn_cast<CallBase>(Factor);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      return Callee &&
             (Callee->getName().starts_with("kernix.block_dim.") || Callee->getName().starts_with("kernix.grid_dim."));
    };
    return IsExtent(Product->getOperand(0)) && IsExtent(Product->getOperand(1));
  }
  const auto *Call = dyn_cast_or_null<CallBase>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         (Callee->getName().starts_with("kernix.block_dim.") || Callee->getName().starts_with("kernix.grid_dim."));
}

bool kernix::isNonZeroStep(const SCEV *S, uint64_t Size) { return isNonZero(S) && constantFactor(S) >= Size; }

/// A byte that wraps around may count within a table of 256; an int that does leaves the tensor.
static bool isExtendedIndex(const SCEVIntegralCastExpr *Cast) {
  return !isa<SCEVTruncateExpr>(Cast) && Cast->getOperand()->getType()->getScalarSizeInBits() >= 32;
}

std::optional<Steps> kernix::stepsIn(const SCEV *S, const Loop *L, ScalarEvolution &Evolution) {
  if (Evolution.isLoopInvariant(S, L))
    return Steps{S, Evolution.getZero(Evolution.getEffectiveSCEVType(S->getType()))};
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S)) {
    if (Recurrence->getLoop() != L || !Recurrence->isAffine())
      return std::nullopt;
    return Steps{Recurrence->getStart(), Recurrence->getStepRecurrence(Evolution)};
  }
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
    std::optional<Steps> Inner = isExtendedIndex(Cast) ? stepsIn(Cast->getOperand(), L, Evolution) : std::nullopt;
    if (!Inner)
      return std::nullopt;
    auto Extend = [&](const SCEV *V) {
      return isa<SCEVSignExtendExpr>(Cast) ? Evolution.getSignExtendExpr(V, S->getType())
                                           : Evolution.getZeroExtendExpr(V, S->getType());
    };
    // An unsigned counter that goes down.
    bool IsConstant = isa<SCEVConstant>(Inner->Step);
    return Steps{Extend(Inner->Start),
                 IsConstant ? Evolution.getSignExtendExpr(Inner->Step, S->getType()) : Extend(Inner->Step)};
  }
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    SmallVector<const SCEV *, 4> Starts, Strides;
    for (const SCEV *Operand : Sum->operands()) {
      std::optional<Steps> Part = stepsIn(Operand, L, Evolution);
      if (!Part)
        return std::nullopt;
      Starts.push_back(Part->Start);
      Strides.push_back(Part->Step);
    }
    return Steps{Evolution.getAddExpr(Starts), Evolution.getAddExpr(Strides)};
  }
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S)) {
    const SCEV *Factor = nullptr;
    std::optional<Steps> Moving;
    for (const SCEV *Operand : Product->operands()) {
      if (Evolution.isLoopInvariant(Operand, L))
        Factor = Factor ? Evolution.getMulExpr(Factor, Operand) : Operand;
      else if (Moving || !(Moving = stepsIn(Operand, L, Evolution)))
        return std::nullopt;
    }
    if (!Moving || !Factor)
      return std::nullopt;
    return Steps{Evolution.getMulExpr(Factor, Moving->Start), Evolution.getMulExpr(Factor, Moving->Step)};
  }
  return std::nullopt;
}

/// Of a phi whose ways have each computed the same: what they computed.
static const SCEV *sameOnAllWays(const SCEV *S, ScalarEvolution &Evolution) {
  const auto *Unknown = dyn_cast<SCEVUnknown>(S);
  const auto *Phi = Unknown ? dyn_cast<PHINode>(Unknown->getValue()) : nullptr;
  if (!Phi)
    return nullptr;
  const SCEV *Same = nullptr;
  for (Value *Incoming : Phi->incoming_values()) {
    const SCEV *Way = Evolution.getSCEV(Incoming);
    if (Way == S || (Same && Way != Same))
      return nullptr;
    Same = Way;
  }
  return Same;
}

static void addTerms(const SCEV *S, int64_t Factor, LinearForm &Form, ScalarEvolution &Evolution) {
  if (const auto *C = dyn_cast<SCEVConstant>(S)) {
    Form.Constant += Factor * C->getAPInt().getSExtValue();
    return;
  }
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S); Cast && isExtendedIndex(Cast))
    return addTerms(Cast->getOperand(), Factor, Form, Evolution);
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    for (const SCEV *Operand : Sum->operands())
      addTerms(Operand, Factor, Form, Evolution);
    return;
  }
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S); Product && Product->getNumOperands() == 2)
    if (const auto *C = dyn_cast<SCEVConstant>(Product->getOperand(0)))
      return addTerms(Product->getOperand(1), Factor * C->getAPInt().getSExtValue(), Form, Evolution);
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
      Recurrence && Recurrence->isAffine() && !Recurrence->getStart()->isZero()) {
    addTerms(Recurrence->getStart(), Factor, Form, Evolution);
    const SCEV *Step = Recurrence->getStepRecurrence(Evolution);
    S = Evolution.getAddRecExpr(Evolution.getZero(Step->getType()), Step, Recurrence->getLoop(), SCEV::FlagAnyWrap);
  }
  if (const SCEV *Same = sameOnAllWays(S, Evolution))
    return addTerms(Same, Factor, Form, Evolution);
  if ((Form.Terms[S] += Factor) == 0)
    Form.Terms.erase(S);
}

LinearForm kernix::linearForm(const SCEV *S, ScalarEvolution &Evolution) {
  LinearForm Form;
  addTerms(S, 1, Form, Evolution);
  return Form;
}

std::optional<int64_t> kernix::constantDistance(const SCEV *First, const SCEV *Second, ScalarEvolution &Evolution) {
  LinearForm Form;
  addTerms(First, 1, Form, Evolution);
  addTerms(Second, -1, Form, Evolution);
  if (!Form.Terms.empty())
    return std::nullopt;
  return Form.Constant;
}

namespace {

/// Where an address may be in all iterations of the loops around it, as seen from Start.
struct Span {
  const SCEV *Start = nullptr;
  uint64_t Reach = 0; ///< divides all steps
  /// First and last distance; far away where a loop has no known end.
  int64_t Low = 0, High = 0;
};

constexpr int64_t Far = int64_t(1) << 60;

/// What a loop adds: Step times 0, 1, 2, ...
void addSteps(const SCEV *Step, const Loop *L, Span &S, ScalarEvolution &Evolution) {
  const auto *Constant = dyn_cast<SCEVConstant>(Step);
  const auto *Most = dyn_cast<SCEVConstant>(Evolution.getConstantMaxBackedgeTakenCount(L));
  int64_t Each = Constant && Constant->getAPInt().isSignedIntN(32) ? Constant->getAPInt().getSExtValue() : 0;
  int64_t Way = Each && Most && Most->getAPInt().isIntN(24)
                    ? Each * static_cast<int64_t>(Most->getAPInt().getZExtValue())
                    : (Each < 0 ? -Far : Far);
  if (!Each || Way < 0)
    S.Low = std::max(S.Low + (Each ? Way : -Far), -Far);
  if (!Each || Way > 0)
    S.High = std::min(S.High + (Each ? Way : Far), Far);
}

std::optional<Span> spanOf(const SCEV *Address, const Loop *Innermost, ScalarEvolution &Evolution) {
  Span S{Address};
  for (const Loop *L = Innermost; L; L = L->getParentLoop()) {
    std::optional<Steps> Moves = stepsIn(S.Start, L, Evolution);
    if (!Moves)
      return std::nullopt;
    if (!Moves->Step->isZero()) {
      S.Reach = std::gcd(S.Reach, constantFactor(Moves->Step));
      addSteps(Moves->Step, L, S, Evolution);
    }
    S.Start = Moves->Start;
  }
  return S;
}

} // namespace

bool kernix::areApart(int64_t Distance, uint64_t Common, uint64_t FirstSize, uint64_t SecondSize) {
  const uint64_t Magnitude = static_cast<uint64_t>(std::abs(Distance));
  if (!Common)
    return Magnitude >= (Distance < 0 ? FirstSize : SecondSize);
  uint64_t Rest = Magnitude % Common;
  if (Distance < 0 && Rest)
    Rest = Common - Rest;
  return Rest >= SecondSize && Common - Rest >= FirstSize;
}

bool kernix::neverMeet(const SCEV *First, const Loop *FirstLoop, uint64_t FirstSize, const SCEV *Second,
                       const Loop *SecondLoop, uint64_t SecondSize, ScalarEvolution &Evolution) {
  std::optional<Span> A = spanOf(First, FirstLoop, Evolution), B = spanOf(Second, SecondLoop, Evolution);
  std::optional<int64_t> Distance = A && B ? constantDistance(A->Start, B->Start, Evolution) : std::nullopt;
  if (!Distance || std::abs(*Distance) > Far / 2)
    return false;
  // One goes on before or behind the other.
  if (*Distance + A->Low >= B->High + static_cast<int64_t>(SecondSize) ||
      *Distance + A->High + static_cast<int64_t>(FirstSize) <= B->Low)
    return true;
  // Steps of all loops together reach the multiples of what divides them all, at most.
  return areApart(*Distance, std::gcd(A->Reach, B->Reach), FirstSize, SecondSize);
}
