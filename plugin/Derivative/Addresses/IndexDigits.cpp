//===- IndexDigits.cpp - quotients and remainders of thread numbers ---------------------------------------------===//
//
// Threads that are counted through the block, `threadIdx.y * 16 + threadIdx.x`, share the work on rows of 16 elements
// by that number's quotient and remainder. They are the ids again, if the block's rows are no wider than 16.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

std::optional<Polynomial> IndexForms::formOfDigit(const Instruction &I, LaunchConditions &Assumed) {
  const APInt *C = nullptr;
  bool IsRest = false;
  int64_t Unit = 0;
  if (I.getNumOperands() != 2 || !match(I.getOperand(1), m_APInt(C)) || C->getSignificantBits() > 32)
    return std::nullopt;
  switch (I.getOpcode()) {
  case Instruction::LShr:
  case Instruction::AShr:
    Unit = C->ult(31) ? int64_t(1) << C->getZExtValue() : 0;
    break;
  case Instruction::And:
    IsRest = true;
    Unit = (*C + 1).isPowerOf2() ? C->getSExtValue() + 1 : 0;
    break;
  case Instruction::URem:
  case Instruction::SRem:
    IsRest = true;
    [[fallthrough]];
  case Instruction::UDiv:
  case Instruction::SDiv:
    Unit = C->getSExtValue();
    break;
  default:
    break;
  }
  if (Unit < 2)
    return std::nullopt;
  std::optional<Polynomial> Number = form(I.getOperand(0), Assumed);
  std::optional<Polynomial> Least = Number ? leastOf(*Number) : std::nullopt;
  if (!Least || !assumeExact(I.getOperand(0), *Number, Assumed) || !assume(*Least, Assumed))
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
  if (!HasId && !IsRest)
    return std::nullopt;
  std::optional<Polynomial> Lowest = leastOf(Rest), Highest = mostOf(Rest);
  if (!Lowest || !Highest || Quotient.isBroken() || Rest.isBroken() || !assume(*Lowest, Assumed) ||
      !assume(Polynomial::constant(Unit - 1) - *Highest, Assumed))
    return std::nullopt;
  assumeBounds(Rest, Assumed);
  return IsRest ? Rest : Quotient;
}
