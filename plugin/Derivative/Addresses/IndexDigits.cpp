//===- IndexDigits.cpp - quotients and remainders of thread numbers ---------------------------------------------===//
//
// Threads that are counted through the block, `threadIdx.y * 16 + threadIdx.x`, share the work on rows of 16 elements
// by that number's quotient and remainder. They are the ids again, if the block's rows are no wider than 16.
//
// A single id is shared by its own digits, lanes and warps: `(row + threadIdx.x / 32) * 40 + threadIdx.x % 32`.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

Division kernix::divisionOf(const Instruction &I) {
  const APInt *C = nullptr;
  if (I.getNumOperands() != 2 || !match(I.getOperand(1), m_APInt(C)) || C->getSignificantBits() > 32)
    return {};
  switch (I.getOpcode()) {
  case Instruction::LShr:
  case Instruction::AShr:
    return {C->ult(31) ? int64_t(1) << C->getZExtValue() : 0, true};
  case Instruction::UDiv:
  case Instruction::SDiv:
    return {C->getSExtValue(), true};
  case Instruction::And:
    return {(*C + 1).isPowerOf2() ? C->getSExtValue() + 1 : 0, false};
  case Instruction::URem:
  case Instruction::SRem:
    return {C->getSExtValue(), false};
  default:
    return {};
  }
}

std::optional<Polynomial> IndexForms::formOfDigit(const Instruction &I, LaunchConditions &Assumed) {
  auto [Unit, IsQuotient] = divisionOf(I);
  if (Unit < 2)
    return std::nullopt;
  std::optional<Polynomial> Number = form(I.getOperand(0), Assumed);
  if (!Number || !assumeExact(I.getOperand(0), *Number, Assumed) || !assumeNeverNegative(*Number, Assumed))
    return std::nullopt;
  Polynomial Quotient, Rest;
  bool HasId = false;
  for (const auto &[M, Factor] : Number->terms()) {
    int64_t Above = Factor >= 0 ? Factor / Unit : -((Unit - 1 - Factor) / Unit);
    if (Factor % Unit && !M.empty())
      Above = 0;
    Quotient.add(M, Above);
    Rest.add(M, Factor - Above * Unit);
    HasId |= Above && any_of(M, [&](unsigned A) { return Atoms[A].Kind == AtomMeaning::Id; });
  }
  // Of `threadIdx.x / 32` nobody means that it is 0. A remainder may have lost its rows already.
  if (!HasId && IsQuotient)
    return std::nullopt;
  std::optional<Polynomial> Lowest = leastOf(Rest), Highest = mostOf(Rest);
  if (!Lowest || !Highest || Quotient.isBroken() || Rest.isBroken() || !assume(*Lowest, Assumed) ||
      !assume(Polynomial::constant(Unit - 1) - *Highest, Assumed))
    return std::nullopt;
  return IsQuotient ? Quotient : Rest;
}

/// The atom of the remainder; that of the quotient follows it, and then how many quotients there are. Nothing: there
/// are too many already.
std::optional<unsigned> IndexForms::remainderOfId(unsigned Id, int64_t Unit) {
  for (unsigned A : ArrayRef(IdsAndDigits).drop_front(FirstExtent))
    if (Atoms[A].Of == Id && Atoms[A].Unit == Unit)
      return A;
  constexpr size_t Most = 32; // bits of a set
  if (IdsAndDigits.size() + 2 > Most)
    return std::nullopt;
  const auto Remainder = static_cast<unsigned>(Atoms.size());
  IdsAndDigits.append({Remainder, Remainder + 1});
  Atoms.push_back({AtomMeaning::Digit, nullptr, nullptr, 0, Id, Unit, /*IsQuotient=*/false});
  Atoms.push_back({AtomMeaning::Digit, nullptr, nullptr, 0, Id, Unit, /*IsQuotient=*/true});
  Atoms.push_back({AtomMeaning::Extent, nullptr, nullptr, 0, Id, Unit});
  return Remainder;
}

/// `threadIdx.x / 32`, `threadIdx.x & 31` and the like.
std::optional<Polynomial> IndexForms::formOfIdDigit(const Instruction &I, LaunchConditions &Assumed) {
  constexpr int64_t MostThreads = 1024;
  auto [Unit, IsQuotient] = divisionOf(I);
  int64_t Factor = 1;
  const APInt *Mask = nullptr;
  if (match(&I, m_And(m_Value(), m_APInt(Mask)))) {
    // Of an id only these bits are not zero.
    const auto Low = static_cast<int64_t>(Mask->zextOrTrunc(64).getZExtValue() & (MostThreads - 1));
    IsQuotient = !(Low & 1);
    Unit = IsQuotient ? MostThreads - Low : Low + 1;
    Factor = IsQuotient ? Unit : 1;
    if (Low == 0 || !isPowerOf2_64(static_cast<uint64_t>(Unit)))
      return std::nullopt;
  }
  const bool IsWhole = Unit == MostThreads && !IsQuotient;
  if (!IsWhole && (Unit < 2 || Unit >= MostThreads))
    return std::nullopt;
  LaunchConditions Needed = Assumed;
  std::optional<Polynomial> Number = form(I.getOperand(0), Needed);
  std::optional<unsigned> Id;
  for (unsigned A = 0; A < 3 && Number; ++A)
    if (*Number == Polynomial::atom(A))
      Id = A;
  if (!Id || !assumeExact(I.getOperand(0), *Number, Needed))
    return std::nullopt;
  if (IsWhole) {
    Assumed = std::move(Needed);
    return Number;
  }
  std::optional<unsigned> Remainder = remainderOfId(*Id, Unit);
  if (!Remainder)
    return std::nullopt;
  Assumed = std::move(Needed);
  return Polynomial::atom(*Remainder + IsQuotient).scaled({}, Factor);
}

/// `32 * (threadIdx.x / 32) + threadIdx.x % 32` is threadIdx.x.
Polynomial IndexForms::withJoinedDigits(const Polynomial &P) const {
  Polynomial Result = P;
  for (size_t K = FirstExtent; K < IdsAndDigits.size(); K += 2) {
    const AtomMeaning &Meaning = Atoms[IdsAndDigits[K]];
    for (const auto &[M, C] : Polynomial::Terms(Result.terms())) {
      std::optional<Monomial> Others = divide(M, {IdsAndDigits[K]});
      if (!Others)
        continue;
      Monomial OfQuotient = *Others * Monomial{IdsAndDigits[K + 1]};
      auto Found = Result.terms().find(OfQuotient);
      int64_t Whole = 0;
      if (Found == Result.terms().end() || __builtin_mul_overflow(C, Meaning.Unit, &Whole) || Found->second != Whole)
        continue;
      Result.add(M, -C);
      Result.add(OfQuotient, -Whole);
      Result.add(*Others * Monomial{Meaning.Of}, C);
    }
  }
  return Result;
}

unsigned IndexForms::withWholeIds(unsigned Set) const {
  for (size_t K = FirstExtent; K < IdsAndDigits.size(); K += 2)
    if ((Set >> K & 3) == 3)
      Set |= 1U << Atoms[IdsAndDigits[K]].Of;
  return Set;
}
