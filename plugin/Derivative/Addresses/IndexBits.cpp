//===- IndexBits.cpp - integers made of bits of others ----------------------------------------------------------===//
//
// `(t >> 2) << 1 | u` is written in many ways, and simplified to more: with masks before or after shifts, or without
// those that the next operation makes superfluous. All of them are sums of runs of bits of t, which have one form.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace kernix;

/// The atom of the bits of V that Mask has, as a number that begins with the lowest of them.
unsigned IndexForms::bitsAtom(const Value *V, uint64_t Mask) {
  auto [Slot, New] = AtomOfBits.insert({{V, Mask}, static_cast<unsigned>(Atoms.size())});
  if (New)
    Atoms.push_back({AtomMeaning::Own, V, nullptr, Mask});
  return Slot->second;
}

/// `(V & Mask) << Up`, or to the right where Up is negative; Mask has no bit that this would lose.
std::optional<Polynomial> IndexForms::formOfBits(const Value *V, uint64_t Mask, int Up, LaunchConditions &Assumed,
                                                 unsigned Depth) {
  unsigned Width = V->getType()->getIntegerBitWidth();
  if (Width > 64)
    return std::nullopt;
  KnownBits Known = computeKnownBits(V, Evolution.getDataLayout());
  // A sum of bits is not negative.
  if (!Depth && !Known.isNonNegative())
    return std::nullopt;
  uint64_t Possible = (~Known.Zero).getZExtValue();
  Mask &= Possible;
  if (!Mask)
    return Polynomial();
  auto Moved = [&](uint64_t Bits) { return static_cast<int64_t>(Up < 0 ? Bits >> -Up : Bits << Up); };
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return Polynomial::constant(Moved(C->getZExtValue() & Mask));
  const auto *I = dyn_cast<Instruction>(V);
  const auto *By = I && I->getNumOperands() == 2 ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
  auto Part = [&](unsigned Operand, uint64_t Bits, int Shift) {
    return formOfBits(I->getOperand(Operand), Bits, Shift, Assumed, Depth + 1);
  };
  if (I && isOwnEverywhere(I) && Depth < 12)
    switch (I->getOpcode()) {
    case Instruction::And:
      if (By)
        return Part(0, Mask & By->getZExtValue(), Up);
      break;
    case Instruction::Or: {
      if (!By && !cast<PossiblyDisjointInst>(I)->isDisjoint())
        break;
      std::optional<Polynomial> A = Part(0, By ? Mask & ~By->getZExtValue() : Mask, Up);
      std::optional<Polynomial> B = A ? Part(1, Mask, Up) : std::nullopt;
      return B ? std::optional(*A + *B) : std::nullopt;
    }
    case Instruction::Shl:
      if (By && By->getValue().ult(Width))
        return Part(0, Mask >> By->getZExtValue(), Up + static_cast<int>(By->getZExtValue()));
      break;
    case Instruction::LShr:
      if (By && By->getValue().ult(Width))
        return Part(0, Mask << By->getZExtValue(), Up - static_cast<int>(By->getZExtValue()));
      break;
    case Instruction::ZExt:
    case Instruction::Trunc:
      if (I->getOperand(0)->getType()->getIntegerBitWidth() <= 64)
        return Part(0, Mask, Up);
      break;
    default:
      break;
    }
  unsigned Lowest = static_cast<unsigned>(countr_zero(Mask));
  int64_t Unit = int64_t(1) << std::min(static_cast<int>(Lowest) + Up, 62);
  if (Mask != Possible)
    return Polynomial::atom(bitsAtom(V, Mask)).scaled({}, Unit);
  // All bits that it can have: V itself, which may have a better form.
  if (Up < 0 || !Known.isNonNegative() || !Depth)
    return std::nullopt;
  std::optional<Polynomial> Whole = form(V, Assumed);
  return Whole ? std::optional(Whole->scaled({}, int64_t(1) << std::min(Up, 62))) : std::nullopt;
}

/// `k ^ C` for a k that is another number in each iteration of a loop: so is this one.
std::optional<Polynomial> IndexForms::formOfFlippedBits(const Instruction &I, LaunchConditions &Assumed) {
  const auto *Flips = dyn_cast<ConstantInt>(I.getOperand(1));
  const Value *Index = I.getOperand(0);
  if (!OfOneThread || !Flips || Flips->isNegative() || Flips->getValue().ugt(1U << 30))
    return std::nullopt;
  LaunchConditions Needed = Assumed;
  std::optional<Polynomial> Whole = form(Index, Needed);
  bool IsWide = Index->getType()->getIntegerBitWidth() >= 32;
  if (!Whole || !((MayWrap && IsWide) || assumeExact(Index, *Whole, Needed)))
    return std::nullopt;
  // Multiples of a power of two above all flipped bits stay what they are.
  auto Unit = static_cast<int64_t>(NextPowerOf2(Flips->getZExtValue()));
  Polynomial High, Low, Step;
  for (const auto &[M, C] : Whole->terms())
    (C % Unit ? Low : High).add(M, C);
  std::optional<unsigned> Counter;
  for (const auto &[M, C] : Low.terms())
    for (unsigned A : M)
      if (Atoms[A].Kind == AtomMeaning::Counter) {
        if (Atoms[A].IsPart || (Counter && *Counter != A))
          return std::nullopt;
        Counter = A;
      }
  if (!Counter)
    return std::nullopt;
  for (const auto &[M, C] : Low.terms())
    if (std::optional<Monomial> Others = divide(M, {*Counter})) {
      if (is_contained(*Others, *Counter))
        return std::nullopt;
      Step.add(*Others, C);
    }
  // Never zero; and a negative number has more bits.
  auto IsPositive = [&](const Polynomial &Number) {
    std::optional<Polynomial> Least = leastOf(Number - Polynomial::constant(1));
    return Least && isNeverNegative(*Least);
  };
  if (!(IsPositive(Step) || IsPositive(Step.scaled({}, -1))) || !assumeNeverNegative(Low, Needed))
    return std::nullopt;
  Assumed = std::move(Needed);
  auto [Slot, New] = AtomOfFlipped.insert({{Low, Flips->getSExtValue()}, static_cast<unsigned>(Atoms.size())});
  unsigned Atom = Slot->second;
  if (New) {
    Atoms.push_back({AtomMeaning::Counter, &I, Atoms[*Counter].L});
    // No more than the sum of both, and no more bits than the longer of them.
    std::vector<Polynomial> &Bounds = GivenBounds[Atom];
    if (std::optional<Polynomial> Most = mostOf(Low)) {
      Bounds.push_back(*Most + Polynomial::constant(Flips->getSExtValue()));
      if (Most->isConstant() && isUInt<40>(static_cast<uint64_t>(Most->constantTerm())))
        Bounds.front() = Polynomial::constant(static_cast<int64_t>(
            NextPowerOf2(std::max(static_cast<uint64_t>(Most->constantTerm()), Flips->getZExtValue())) - 1));
    }
  }
  return High + Polynomial::atom(Atom);
}

/// `((X << 32) + (16 << 32)) >> 30` is four times the low half of X + 16, with its sign. LLVM writes what an int adds
/// to so, where the int is extended anyway.
std::optional<Polynomial> IndexForms::formOfLowHalf(const Instruction &Shift, LaunchConditions &Assumed) {
  const auto *By = dyn_cast<ConstantInt>(Shift.getOperand(1));
  LaunchConditions Also = Assumed;
  std::optional<Polynomial> Shifted = By ? form(Shift.getOperand(0), Also) : std::nullopt;
  if (!Shifted)
    return std::nullopt;
  uint64_t Bits = 0;
  for (const auto &[M, C] : Shifted->terms())
    Bits |= static_cast<uint64_t>(C);
  const unsigned Width = Shift.getType()->getIntegerBitWidth(), Zeros = Bits ? countr_zero(Bits) : 0;
  if (Zeros >= Width || By->getValue().ugt(Zeros))
    return std::nullopt;
  Polynomial Low, Value;
  for (const auto &[M, C] : Shifted->terms()) {
    Low.add(M, C >> Zeros);
    Value.add(M, C >> By->getZExtValue());
  }
  const bool IsOfInts = MayWrap && isOfInts(Shift.getOperand(0));
  // Bits above those of an int are lost; below, they would become bits of the result.
  if (IsOfInts && Width - Zeros > 32) {
    const ExactForms Exact(*this);
    std::optional<Polynomial> Same = form(Shift.getOperand(0), Also);
    if (!Same || !(*Same == *Shifted))
      return std::nullopt;
  } else if (!(IsOfInts && Width - Zeros == 32) && !assumeInRange(Low, Width - Zeros, Also)) {
    return std::nullopt;
  }
  Assumed = std::move(Also);
  return Value;
}
