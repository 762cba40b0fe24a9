//===- IndexParts.cpp - quotients and remainders of what loops count --------------------------------------------===//
//
// `for (int i = thread; i < n; i += threads)` works through a tensor as if it had one dimension, and `i % width`,
// `i / width % height` and `i / (width * height)` are its indices. Written with units that divide each other, i is
//
//   part 0 + width * part 1 + width * height * part 2,
//
// where all parts but the last one have bounds. Iterations differ in a part at least, and each quotient and remainder
// is a sum of parts.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

static bool isDivision(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->getType()->isIntegerTy() && (I->isIntDivRem() || divisionOf(*I).Unit > 1);
}

/// What V extends, or is the only way to.
static const Value *withoutExtension(const Value *V) {
  while (const auto *I = dyn_cast<Instruction>(V)) {
    bool IsSame = isa<SExtInst, FreezeInst>(I) || (isa<ZExtInst>(I) && !I->getOperand(0)->getType()->isIntegerTy(1));
    if (!IsSame)
      break;
    V = I->getOperand(0);
  }
  return V;
}

/// The quotient or remainder that I computes. Null: it is neither of a number that a loop counts.
std::optional<IndexForms::PartOfNumber> IndexForms::partOf(const Instruction &I, LaunchConditions &Assumed) {
  if (!isDivision(&I) || isOwn(&I) || isUniform(&I))
    return std::nullopt;
  const ExactForms Exact(*this);
  auto [ConstantUnit, IsQuotient] = divisionOf(I);
  Polynomial Unit = Polynomial::constant(ConstantUnit);
  if (ConstantUnit < 2) {
    const Value *Divisor = I.getOperand(1);
    if (!I.isIntDivRem() || !isUniform(Divisor))
      return std::nullopt;
    std::optional<Polynomial> P = form(Divisor, Assumed);
    std::optional<Polynomial> Least = P ? leastOf(*P) : std::nullopt;
    if (!Least || !assumeExact(Divisor, *P, Assumed) || !assume(*P - Polynomial::constant(1), Assumed))
      return std::nullopt;
    Unit = *P;
    IsQuotient = I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::SDiv;
  }
  const Value *Dividend = withoutExtension(I.getOperand(0));
  PartOfNumber Part;
  if (isDivision(Dividend) && !isUniform(Dividend) && !isOwn(Dividend)) {
    std::optional<PartOfNumber> Whole = partOf(*cast<Instruction>(Dividend), Assumed);
    if (!Whole)
      return std::nullopt;
    Part = std::move(*Whole);
  } else {
    std::optional<Polynomial> Number = form(Dividend, Assumed);
    // A remainder is within the tensor, whatever it is one of.
    if (!Number || !assumeExact(Dividend, *Number, Assumed) || !assumeNeverNegative(*Number, Assumed))
      return std::nullopt;
    Part = {*Number, Polynomial::constant(1), std::nullopt};
  }
  Polynomial Border = Part.Low * Unit;
  if (Border.isBroken())
    return std::nullopt;
  if (IsQuotient)
    Part.Low = Border;
  else if (!Part.High || divide(*Part.High, Border))
    Part.High = Border;
  else if (!divide(Border, *Part.High))
    return std::nullopt;
  return Part;
}

/// Puts a unit between those that divide it and those that it divides.
void IndexForms::addUnit(NumberOfParts &Number, const Polynomial &Unit) {
  auto *Place = Number.Units.begin();
  for (; Place != Number.Units.end() && !(*Place == Unit); ++Place) {
    if (divide(Unit, *Place))
      continue;
    if (!divide(*Place, Unit))
      return;
    break;
  }
  if (Place == Number.Units.end() || !(*Place == Unit))
    Number.Units.insert(Place, Unit);
}

void IndexForms::takeApart(ArrayRef<const Value *> Addresses) {
  constexpr size_t Most = 512;
  SetVector<const Value *> Used(Addresses.begin(), Addresses.end());
  for (size_t K = 0; K < Used.size() && Used.size() < Most; ++K)
    if (const auto *I = dyn_cast<Instruction>(Used[K]); I && !isa<LoadInst, CallBase>(I))
      for (const Value *Operand : I->operands())
        if (isa<Instruction>(Operand))
          Used.insert(Operand);
  for (const Value *V : Used) {
    LaunchConditions Ignored;
    const auto *I = dyn_cast<Instruction>(V);
    std::optional<PartOfNumber> Part = I ? partOf(*I, Ignored) : std::nullopt;
    if (!Part)
      continue;
    // The innermost of the loops that count the number.
    const Loop *Counting = nullptr;
    bool IsNest = true;
    for (const auto &[M, C] : Part->Number.terms())
      for (unsigned A : M)
        if (const Loop *L = Atoms[A].Kind == AtomMeaning::Counter ? Atoms[A].L : nullptr) {
          IsNest &= !Counting || Counting->contains(L) || L->contains(Counting);
          Counting = Counting && L->contains(Counting) ? Counting : L;
        }
    if (!Counting || !IsNest)
      continue;
    auto Number = find_if(Numbers, [&](const NumberOfParts &N) { return N.Number == Part->Number; });
    if (Number == Numbers.end()) {
      Numbers.push_back({Part->Number, Counting, {Polynomial::constant(1)}, {}});
      Number = std::prev(Numbers.end());
    }
    addUnit(*Number, Part->Low);
    if (Part->High)
      addUnit(*Number, *Part->High);
  }
  for (NumberOfParts &Number : Numbers)
    for (size_t K = 0; K < Number.Units.size(); ++K) {
      const auto Atom = static_cast<unsigned>(Atoms.size());
      Atoms.push_back({AtomMeaning::Counter, nullptr, Number.L});
      Atoms.back().IsPart = true;
      Number.Parts.push_back(Atom);
      GivenBounds[Atom] = {};
      if (K + 1 < Number.Units.size())
        GivenBounds[Atom] = {*divide(Number.Units[K + 1], Number.Units[K]) - Polynomial::constant(1)};
    }
}

std::optional<Polynomial> IndexForms::formOfPart(const Instruction &I, LaunchConditions &Assumed) {
  if (Numbers.empty() || Numbers.front().Parts.empty())
    return std::nullopt;
  LaunchConditions Needed = Assumed;
  std::optional<PartOfNumber> Part = partOf(I, Needed);
  if (!Part)
    return std::nullopt;
  auto Number = find_if(Numbers, [&](const NumberOfParts &N) { return N.Number == Part->Number; });
  if (Number == Numbers.end() || !is_contained(Number->Units, Part->Low) ||
      (Part->High && !is_contained(Number->Units, *Part->High)))
    return std::nullopt;
  Polynomial Sum;
  for (size_t K = 0; K < Number->Units.size(); ++K) {
    // The units that other addresses need, too, are no units otherwise.
    if (K > 0 && !assume(*divide(Number->Units[K], Number->Units[K - 1]) - Polynomial::constant(1), Needed))
      return std::nullopt;
    bool IsAbove = Part->High && divide(Number->Units[K], *Part->High);
    if (std::optional<Polynomial> Factor = IsAbove ? std::nullopt : divide(Number->Units[K], Part->Low))
      Sum = Sum + Factor->scaled({Number->Parts[K]}, 1);
  }
  if (Sum.isBroken())
    return std::nullopt;
  Assumed = std::move(Needed);
  return Sum;
}

/// Whether P >= 0 follows from how large a number can be of which P has the last part: `h < H` if `width * H` is not
/// less than all that the loop counts.
bool IndexForms::isPartBelow(const Polynomial &P, ArrayRef<Fact> Facts, LaunchConditions &Assumed) {
  for (const NumberOfParts &Number : Numbers) {
    if (Number.Parts.empty() || !P.contains(Number.Parts.back()))
      continue;
    // P = Factor * (End - 1 - part)
    Polynomial Factor, Rest;
    for (const auto &[M, C] : P.terms())
      if (std::optional<Monomial> Others = kernix::divide(M, {Number.Parts.back()}))
        Factor.add(*Others, -C);
      else
        Rest.add(M, C);
    std::optional<Polynomial> End = divide(Rest + Factor, Factor);
    bool IsShared = End && all_of(End->terms(), [&](const auto &Term) {
                      return none_of(Term.first, [&](unsigned A) { return isVariable(A); });
                    });
    if (!IsShared || Factor.terms().size() != 1 || Factor.terms().begin()->second < 0 ||
        any_of(Factor.terms().begin()->first, [&](unsigned A) { return mayBeNegative(A); }))
      continue;
    Polynomial Room = Number.Units.back() * *End - Polynomial::constant(1) - Number.Number;
    LaunchConditions Needed = Assumed;
    if (!isNeverNegative(Room, Facts, Needed, /*MayAssume=*/true))
      continue;
    Assumed = std::move(Needed);
    return true;
  }
  return false;
}
