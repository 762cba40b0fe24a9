//===- IndexBounds.cpp - least and largest values of index polynomials ------------------------------------------===//
//
// Ids end before their extents, counters where scalar evolution says that their loops do. What remains are extents and
// uniform values, of which it is known that they are not negative, or the launch is asked.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace kernix;

/// CUDA's limits, blockDim and then gridDim.
constexpr int64_t MostOfExtent[] = {1024, 1024, 64, 0x7fffffff, 65535, 65535};

static bool isExtent(unsigned Atom) { return Atom >= FirstExtent && Atom < FirstOther; }
static bool isOfExtents(const Monomial &M) { return all_of(M, isExtent); }

namespace {

/// The bound that scalar evolution knows of a loop, as a polynomial. What SCEV says of a number is said of one that has
/// wrapped around, and a polynomial does not: that one is not negative says nothing of the other.
class CountForm {
public:
  CountForm(function_ref<std::optional<Polynomial>(const Value *)> FormOf,
            function_ref<bool(const Polynomial &)> Assume, function_ref<unsigned(const Loop *)> CounterOf,
            function_ref<bool(const SCEV *)> IsNonNegative, function_ref<bool(const Polynomial &)> HoldsAtEntry)
      : FormOf(FormOf), Assume(Assume), CounterOf(CounterOf), IsNonNegative(IsNonNegative), HoldsAtEntry(HoldsAtEntry) {
  }

  /// What S, an unsigned number, is not above. `while (--k)` runs nearly for ever if k is zero: a negative polynomial
  /// is not what S is.
  std::optional<Polynomial> mostOf(const SCEV *S, bool MayBeMore) {
    std::optional<Form> F = form(S, MayBeMore);
    return F && !F->Most.isBroken() && isNeverNegative(S, *F) ? std::optional(F->Most) : std::nullopt;
  }

  /// What S, an unsigned number, is.
  std::optional<Polynomial> exactly(const SCEV *S) {
    std::optional<Form> F = form(S, /*MayBeMore=*/false);
    const unsigned Bits = S->getType()->getIntegerBitWidth();
    const bool Fits = F && F->isExact() && !F->Most.isBroken() && isNeverNegative(S, *F) &&
                      Assume(Polynomial::constant((int64_t(1) << std::min(Bits, 48U)) - 1) - F->Most);
    return Fits ? std::optional(F->Most) : std::nullopt;
  }

private:
  /// S is a number between Least and Most, modulo a power of two.
  struct Form {
    Polynomial Least, Most;

    bool isExact() const { return Least == Most; }
  };
  static Form exactly(const Polynomial &P) { return {P, P}; }

  /// Whether the number is not negative. Then neither is Most, and S, as an unsigned number, is not above it.
  bool isNeverNegative(const SCEV *S, const Form &F) {
    return (F.isExact() && HoldsAtEntry(F.Most)) || (IsNonNegative(S) && Assume(F.Least - leastOfBits(S))) ||
           Assume(F.Least);
  }

  /// Whether no sum or product in S wraps around, as signed numbers. Values have been asked for it.
  static bool neverWraps(const SCEV *S) {
    const auto *Operation = dyn_cast<SCEVNAryExpr>(S);
    return !Operation || ((isa<SCEVMinMaxExpr, SCEVSequentialMinMaxExpr>(S) || Operation->hasNoSignedWrap()) &&
                          all_of(S->operands(), neverWraps));
  }

  /// MayBeMore: the polynomial may be above S. Otherwise it is S.
  std::optional<Form> form(const SCEV *S, bool MayBeMore) {
    if (const auto *C = dyn_cast<SCEVConstant>(S))
      return C->getAPInt().getSignificantBits() <= 48
                 ? std::optional(exactly(Polynomial::constant(C->getAPInt().getSExtValue())))
                 : std::nullopt;
    if (const auto *Unknown = dyn_cast<SCEVUnknown>(S)) {
      std::optional<Polynomial> P = FormOf(Unknown->getValue());
      return P ? std::optional(exactly(*P)) : std::nullopt;
    }
    if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
      return formOfCast(*Cast, MayBeMore);
    // What is computed in few bits wraps around.
    if (S->getType()->getIntegerBitWidth() < 32)
      return std::nullopt;
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
      return formOfSum(*Sum, MayBeMore);
    if (const auto *Product = dyn_cast<SCEVMulExpr>(S))
      return formOfProduct(*Product, MayBeMore);
    if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S); Recurrence && Recurrence->isAffine()) {
      std::optional<Form> Start = form(Recurrence->getStart(), MayBeMore),
                          Step = Start ? form(Recurrence->getOperand(1), MayBeMore) : std::nullopt;
      if (!Step)
        return std::nullopt;
      const Monomial Counter = {CounterOf(Recurrence->getLoop())};
      return Form{Start->Least + Step->Least.scaled(Counter, 1), Start->Most + Step->Most.scaled(Counter, 1)};
    }
    if (isa<SCEVUMaxExpr, SCEVSMaxExpr>(S) && S->operands().size() == 2)
      return formOfMaximum(S, MayBeMore);
    if (isa<SCEVUMinExpr, SCEVSMinExpr, SCEVSequentialUMinExpr>(S) && MayBeMore)
      return formOfMinimum(S);
    return std::nullopt;
  }

  std::optional<Form> formOfCast(const SCEVIntegralCastExpr &Cast, bool MayBeMore) {
    const SCEV *Narrow = Cast.getOperand();
    if (const Value *Extension = extensionIn(Cast))
      if (std::optional<Polynomial> P = FormOf(Extension))
        return exactly(*P);
    std::optional<Form> Inner = form(Narrow, MayBeMore);
    if (!Inner || !isNeverNegative(Narrow, *Inner))
      return std::nullopt;
    // A few bits are not more than all of a number that is not negative.
    if (isa<SCEVTruncateExpr>(Cast))
      return MayBeMore ? std::optional(Form{Polynomial(), Inner->Most}) : std::nullopt;
    if (Inner->isExact() && (neverWraps(Narrow) || (!MayBeMore && Assume(mostOfBits(Cast) - Inner->Most))))
      return Inner;
    // A number that has wrapped around is less than it would be.
    if (!MayBeMore)
      return std::nullopt;
    std::optional<Polynomial> Least = isa<SCEVZeroExtendExpr>(Cast) ? Polynomial() : leastOf(Narrow);
    return Least ? std::optional(Form{*Least, Inner->Most}) : std::nullopt;
  }

  /// The kernel's own extension of a value of few bits, which is not negative where the value, as a signed number, is.
  /// Not one behind a guard that says more of the value than holds here.
  static const Value *extensionIn(const SCEVIntegralCastExpr &Cast) {
    const auto *Few = dyn_cast<SCEVUnknown>(Cast.getOperand());
    if (!Few || !isa<SCEVZeroExtendExpr>(Cast) || Few->getType()->getIntegerBitWidth() >= 32)
      return nullptr;
    auto Found = find_if(Few->getValue()->users(), [](const User *U) {
      const auto *Extension = dyn_cast<ZExtInst>(U);
      return Extension && !Extension->hasNonNeg();
    });
    return Found == Few->getValue()->user_end() ? nullptr : *Found;
  }

  static Polynomial mostOfBits(const SCEVIntegralCastExpr &Cast) {
    unsigned Bits = Cast.getOperand()->getType()->getIntegerBitWidth() - isa<SCEVSignExtendExpr>(Cast);
    return Polynomial::constant(Bits < 48 ? (int64_t(1) << Bits) - 1 : int64_t(1) << 48);
  }

  /// A number from which on S, as a signed number, is not above what is the same modulo a power of two: the least of as
  /// many bits. Of 64, less is enough to say.
  static Polynomial leastOfBits(const SCEV *S) {
    return Polynomial::constant(-(int64_t(1) << std::min(S->getType()->getIntegerBitWidth() - 1, 48U)));
  }

  /// What S, as a signed number, is not below.
  std::optional<Polynomial> leastOf(const SCEV *S) {
    if (IsNonNegative(S))
      return Polynomial();
    return S->getType()->getIntegerBitWidth() <= 48 ? std::optional(leastOfBits(S)) : std::nullopt;
  }

  std::optional<Form> formOfMaximum(const SCEV *S, bool MayBeMore) {
    // Constants come first.
    const SCEV *Small = S->operands()[0], *Large = S->operands()[1];
    // Unsigned, a negative number is a large one.
    const Polynomial Floor = isa<SCEVSMaxExpr>(S) ? leastOfBits(S) : Polynomial();
    std::optional<Form> A = form(Small, /*MayBeMore=*/false), B = A ? form(Large, MayBeMore) : std::nullopt;
    if (!B || !Assume(A->Least - Floor) || !Assume(B->Most - A->Most) ||
        !(neverWraps(Small) || Assume(Polynomial::constant(-1) - leastOfBits(S) - A->Most)))
      return std::nullopt;
    if (B->isExact() && neverWraps(Large))
      return B;
    return MayBeMore && Assume(B->Least - Floor) ? std::optional(Form{A->Least, B->Most}) : std::nullopt;
  }

  std::optional<Form> formOfMinimum(const SCEV *S) {
    const bool IsSigned = isa<SCEVSMinExpr>(S);
    std::optional<Polynomial> Least = IsSigned ? leastOf(S) : Polynomial();
    if (!Least)
      return std::nullopt;
    for (const SCEV *Operand : S->operands())
      if (std::optional<Form> Part = form(Operand, /*MayBeMore=*/IsSigned);
          Part && Assume(IsSigned ? Part->Least - leastOfBits(S) : Part->Least))
        return Form{*Least, Part->Most};
    return std::nullopt;
  }

  std::optional<Form> formOfSum(const SCEVAddExpr &Sum, bool MayBeMore) {
    Form Result;
    for (const SCEV *Operand : Sum.operands()) {
      std::optional<Form> Part = form(Operand, MayBeMore);
      if (!Part)
        return std::nullopt;
      Result = {Result.Least + Part->Least, Result.Most + Part->Most};
    }
    return Result;
  }

  std::optional<Form> formOfProduct(const SCEVMulExpr &Product, bool MayBeMore) {
    // What is above a factor is above the product if no other factor is negative.
    const auto *Constant = dyn_cast<SCEVConstant>(Product.getOperand(0));
    MayBeMore &= Product.getNumOperands() == 2 && Constant && Constant->getAPInt().isNonNegative();
    Form Result = exactly(Polynomial::constant(1));
    for (const SCEV *Operand : Product.operands()) {
      std::optional<Form> Part = form(Operand, MayBeMore);
      if (!Part)
        return std::nullopt;
      Result = {Result.Least * Part->Least, Result.Most * Part->Most};
    }
    return Result;
  }

  function_ref<std::optional<Polynomial>(const Value *)> FormOf;
  function_ref<bool(const Polynomial &)> Assume;
  function_ref<unsigned(const Loop *)> CounterOf;
  function_ref<bool(const SCEV *)> IsNonNegative;
  function_ref<bool(const Polynomial &)> HoldsAtEntry;
};

} // namespace

int64_t IndexForms::mostOfExtent(unsigned Atom) const {
  return MostOfExtent[isExtent(Atom) ? Atom - FirstExtent : Atoms[Atom].Of];
}

/// How often L is repeated, or what is not less than that.
std::optional<Polynomial> IndexForms::countOf(const Loop &L, Count Wanted, LaunchConditions &Own) {
  const ExactForms Exact(*this);
  const NoneRunning Anywhere(*this);
  const SCEV *Times =
      Wanted == Count::Exact ? Evolution.getBackedgeTakenCount(&L) : Evolution.getSymbolicMaxBackedgeTakenCount(&L);
  // In steps of two it is not more than in steps of one.
  if (const auto *Quotient = dyn_cast<SCEVUDivExpr>(Times);
      SplitsIds && Wanted != Count::Exact && Quotient && isa<SCEVConstant>(Quotient->getRHS()))
    Times = Quotient->getLHS();
  auto FormOf = [&](const Value *V) -> std::optional<Polynomial> {
    std::optional<Polynomial> P = form(V, Own);
    return P && assumeExact(V, *P, Own) ? P : std::nullopt;
  };
  auto Assume = [&](const Polynomial &P) { return assumeNeverNegative(P, Own); };
  auto CounterOf = [&](const Loop *Outer) { return counterOf(Outer); };
  auto IsNonNegative = [&](const SCEV *S) {
    auto IsAsked = [&](CmpInst::Predicate P, const SCEV *A) {
      return Evolution.isLoopEntryGuardedByCond(&L, P, A, Evolution.getZero(A->getType()));
    };
    // The source asks whether there is a first iteration.
    const SCEV *Iterations = Evolution.getAddExpr(S, Evolution.getOne(S->getType()));
    if (const auto *Wide = dyn_cast<SCEVZeroExtendExpr>(Iterations))
      Iterations = Wide->getOperand();
    return Evolution.isKnownNonNegative(S) || IsAsked(CmpInst::ICMP_SGE, S) || IsAsked(CmpInst::ICMP_SGT, Iterations);
  };
  auto HoldsAtEntry = [&](const Polynomial &P) {
    const BasicBlock *Before = L.getLoopPreheader();
    if (!Before || !isNeverNegative(P, std::vector<Fact>(factsAt(Before)), Own, /*MayAssume=*/false))
      return false;
    assumeBounds(P, Own);
    return true;
  };
  if (isa<SCEVCouldNotCompute>(Times))
    return std::nullopt;
  CountForm Form(FormOf, Assume, CounterOf, IsNonNegative, HoldsAtEntry);
  return Wanted == Count::Exact ? Form.exactly(Times) : Form.mostOf(Times, Wanted == Count::Most);
}

/// How many iterations of L are followed by another one, wherever it runs.
std::optional<Polynomial> IndexForms::timesRepeated(const Loop &L, LaunchConditions &Assumed) {
  LaunchConditions Needed = Assumed;
  std::optional<Polynomial> Times = countOf(L, Count::Exact, Needed);
  if (!Times || Times->isBroken() || countsIn(*Times, L))
    return std::nullopt;
  assumeBounds(*Times, Needed);
  Assumed = std::move(Needed);
  return Times;
}

std::vector<Polynomial> IndexForms::boundsOf(unsigned Atom) {
  if (Atom < FirstExtent)
    return {Polynomial::atom(Atom + FirstExtent) - Polynomial::constant(1)};
  if (const AtomMeaning &Meaning = Atoms[Atom]; Meaning.Kind == AtomMeaning::Digit) {
    Polynomial Count = Meaning.IsQuotient ? Polynomial::atom(Atom + 1) : Polynomial::constant(Meaning.Unit);
    return {Count - Polynomial::constant(1)};
  }
  if (Atoms[Atom].Kind == AtomMeaning::Own && !mayBeNegative(Atom)) {
    if (uint64_t Bits = Atoms[Atom].Bits) {
      Bits >>= countr_zero(Bits);
      return isInt<40>(Bits) ? std::vector{Polynomial::constant(static_cast<int64_t>(Bits))}
                             : std::vector<Polynomial>();
    }
    APInt Most = computeKnownBits(Atoms[Atom].V, Evolution.getDataLayout()).getMaxValue();
    return Most.isIntN(40) ? std::vector{Polynomial::constant(static_cast<int64_t>(Most.getZExtValue()))}
                           : std::vector<Polynomial>();
  }
  if (Atoms[Atom].Kind != AtomMeaning::Counter)
    return {};
  if (auto Given = GivenBounds.find(Atom); Given != GivenBounds.end())
    return Given->second;
  const Loop *L = Atoms[Atom].L;
  auto Found = Counts.find(L);
  if (Found == Counts.end()) {
    Counts[L] = std::nullopt; // while it is looked for
    for (Count Wanted : {Count::Most, Count::MostWithoutWrapping}) {
      LaunchConditions Own;
      std::optional<Polynomial> Bound = countOf(*L, Wanted, Own);
      if (!Bound || Bound->isBroken())
        continue;
      CountAssumptions[L] = std::move(Own);
      Counts[L] = std::move(Bound);
      break;
    }
    Found = Counts.find(L);
  }
  return Found->second ? std::vector<Polynomial>{*Found->second} : std::vector<Polynomial>();
}

unsigned IndexForms::otherCounter(unsigned Atom, const std::set<unsigned> &Same) {
  auto [Slot, New] = OtherCounters.insert({{Atom, Same}, static_cast<unsigned>(Atoms.size())});
  if (!New)
    return Slot->second;
  unsigned Other = Slot->second;
  Atoms.push_back(AtomMeaning(Atoms[Atom]));
  std::vector<Polynomial> Bounds;
  for (const Polynomial &Bound : boundsOf(Atom))
    Bounds.push_back(inOtherExecution(Bound, Same));
  GivenBounds[Other] = std::move(Bounds);
  return Other;
}

Polynomial IndexForms::inOtherExecution(const Polynomial &P, const std::set<unsigned> &Same) {
  if (P.isBroken())
    return P;
  Polynomial Result;
  for (const auto &[M, C] : P.terms()) {
    Monomial Other;
    for (unsigned A : M)
      Other = Other * Monomial{Atoms[A].Kind == AtomMeaning::Counter && !Same.contains(A) ? otherCounter(A, Same) : A};
    Result.add(Other, C);
  }
  return Result;
}

bool IndexForms::mayBeNegative(unsigned Atom) const {
  const AtomMeaning &Meaning = Atoms[Atom];
  return Meaning.Kind == AtomMeaning::Stride ||
         (Meaning.Kind == AtomMeaning::Own && !Meaning.Bits &&
          !isKnownNonNegative(Meaning.V, SimplifyQuery(Evolution.getDataLayout())));
}

std::optional<Polynomial> IndexForms::leastOf(const Polynomial &P) {
  Polynomial Rest = P;
  for (unsigned Round = 0; Round < 16 && !Rest.isBroken(); ++Round) {
    unsigned Variable = ~0U;
    for (const auto &[M, C] : Rest.terms())
      for (unsigned A : M)
        if (Atoms[A].Kind == AtomMeaning::Counter || (isVariable(A) && Variable == ~0U))
          Variable = A; // counters first: their bounds may depend on others
        else if (mayBeNegative(A))
          return std::nullopt;
        else if (Atoms[A].Kind == AtomMeaning::Own)
          Variable = Variable == ~0U ? A : Variable;
    if (Variable == ~0U)
      return Rest;
    std::vector<Polynomial> Bounds = boundsOf(Variable);
    Polynomial Without;
    for (const auto &[M, C] : Rest.terms()) {
      std::optional<Monomial> Others = divide(M, {Variable});
      if (!Others) {
        Without.add(M, C);
      } else if (C < 0) {
        if (Bounds.empty())
          return std::nullopt;
        Without = Without + Bounds.front().scaled(*Others, C);
      }
    }
    Rest = Without;
  }
  return std::nullopt;
}

std::optional<Polynomial> IndexForms::mostOf(const Polynomial &P) {
  std::optional<Polynomial> Least = leastOf(P.scaled({}, -1));
  return Least ? std::optional<Polynomial>(Least->scaled({}, -1)) : std::nullopt;
}

bool IndexForms::isNeverNegative(const Polynomial &P) const { return isNeverNegative(P, isExtent); }

/// The same where what IsPositive says is at least 1.
bool IndexForms::isNeverNegative(const Polynomial &P, function_ref<bool(unsigned)> IsPositive) const {
  Polynomial Rest = P;
  for (const auto &[M, C] : P.terms())
    for (unsigned A : M)
      if (Atoms[A].Kind != AtomMeaning::Extent && Atoms[A].Kind != AtomMeaning::Uniform)
        return false;
  // A larger product pays for a smaller one that divides it, if what is between them is at least 1.
  for (const auto &[M, C] : P.terms()) {
    if (C >= 0)
      continue;
    for (const auto &[N, D] : Polynomial::Terms(Rest.terms())) {
      std::optional<Monomial> Between = D > 0 ? divide(N, M) : std::nullopt;
      auto Left = Rest.terms().find(M);
      if (!Between || !all_of(*Between, IsPositive) || Left == Rest.terms().end() || Left->second >= 0)
        continue;
      int64_t Paid = std::min(D, -Left->second);
      Rest.add(N, -Paid);
      Rest.add(M, Paid);
    }
  }
  int64_t Least = 0;
  for (const auto &[M, C] : Rest.terms()) {
    int64_t Factor = 1;
    if (C < 0) {
      if (!isOfExtents(M))
        return false;
      for (unsigned A : M)
        if (__builtin_mul_overflow(Factor, MostOfExtent[A - FirstExtent], &Factor))
          return false;
    } else if (!all_of(M, IsPositive)) {
      continue;
    }
    int64_t Term = 0;
    if (__builtin_mul_overflow(C, Factor, &Term) || __builtin_add_overflow(Least, Term, &Least))
      return false;
  }
  return Least >= 0;
}

/// Assumes what proofs want, not what makes numbers exact.
bool IndexForms::ask(const Polynomial &P, LaunchConditions &Assumed) {
  if (isNeverNegative(P) || Assumed.contains(P.withoutCommonFactor()))
    return true;
  // Whether one product of extents and arguments is less than another one.
  auto HasProduct = [&](bool Positive) {
    return any_of(P.terms(), [&](const auto &Term) { return !Term.first.empty() && Positive == (Term.second > 0); });
  };
  if (Allowed == Questions::Plain && HasProduct(true) && HasProduct(false))
    return false;
  // A row that is shorter than as many rows as an argument says: nobody calls it with what makes that true.
  auto IsPositive = [&](unsigned A) {
    return isExtent(A) || (Atoms[A].Kind == AtomMeaning::Uniform && !Atoms[A].V->getType()->isIntegerTy(1) &&
                           Atoms[A].V->getType()->getIntegerBitWidth() >= 32 && !isa<CastInst>(Atoms[A].V));
  };
  return !isNeverNegative(Polynomial::constant(-1) - P, IsPositive) && assume(P, Assumed);
}

bool IndexForms::isNeverNegative(const Polynomial &P, ArrayRef<Fact> Facts, LaunchConditions &Assumed, bool MayAssume) {
  if (P.isBroken())
    return false;
  std::optional<Polynomial> Least = leastOf(P);
  if (Least && (isNeverNegative(*Least) || Assumed.contains(Least->withoutCommonFactor())))
    return true;
  // A constant that another constant pays for: `c < columns` says that there is a column.
  auto WithWeakerFacts = [&](const Polynomial &Wanted) {
    int64_t Missing = Wanted.constantTerm();
    for (const Fact &F : Facts) {
      std::optional<Polynomial> Most = Missing < 0 ? mostOf(F.Form) : std::nullopt;
      if (!Most || Most->constantTerm() >= 0)
        continue;
      std::optional<Polynomial> Rest =
          leastOf(Wanted - Most->scaled({}, divideCeilSigned(Missing, Most->constantTerm())));
      if (!Rest || !isNeverNegative(*Rest))
        continue;
      Assumed.insert(F.Assumed.begin(), F.Assumed.end());
      return true;
    }
    return false;
  };
  auto WithFacts = [&](auto &Self, const Polynomial &Wanted, unsigned Depth, bool Assuming) -> bool {
    for (const Fact &F : Facts)
      for (const auto &[M, C] : F.Form.terms())
        for (const auto &[N, D] : Wanted.terms()) {
          // What is negative in both cancels.
          std::optional<Monomial> Factor = C < 0 && D < 0 && D % C == 0 && !M.empty() ? divide(N, M) : std::nullopt;
          if (!Factor || any_of(*Factor, [&](unsigned A) { return mayBeNegative(A); }))
            continue;
          Polynomial Rest = Wanted - F.Form.scaled(*Factor, D / C);
          std::optional<Polynomial> LeastRest = leastOf(Rest);
          if ((LeastRest && (isNeverNegative(*LeastRest) || (Assuming && ask(*LeastRest, Assumed)))) ||
              (Depth && (Self(Self, Rest, Depth - 1, Assuming) || WithWeakerFacts(Rest)))) {
            Assumed.insert(F.Assumed.begin(), F.Assumed.end());
            return true;
          }
        }
    return false;
  };
  if (Facts.size() <= 24 &&
      (WithFacts(WithFacts, P, Facts.size() <= 8 ? 1 : 0, /*Assuming=*/false) || WithWeakerFacts(P)))
    return true;
  if (MayAssume && Least && ask(*Least, Assumed))
    return true;
  // `c < columns` keeps c within a row, and that rows are apart is asked of the launch.
  if (MayAssume && OfOneThread && Facts.size() <= 24 && WithFacts(WithFacts, P, 0, /*Assuming=*/true))
    return true;
  return MayAssume && Allowed == Questions::Any && isPartBelow(P, Facts, Assumed);
}

/// What was assumed to bound the counters in P.
void IndexForms::assumeBounds(const Polynomial &P, LaunchConditions &Assumed, unsigned Depth) {
  for (const auto &[M, C] : P.terms())
    for (unsigned A : M)
      if (Atoms[A].Kind == AtomMeaning::Counter && Depth < 8)
        for (const Polynomial &Bound : boundsOf(A)) {
          const LaunchConditions &Own = CountAssumptions[Atoms[A].L];
          Assumed.insert(Own.begin(), Own.end());
          assumeBounds(Bound, Assumed, Depth + 1);
        }
}
