//===- DistinctStores.cpp - proofs that stores of one thread go to different elements ---------------------------===//

#include "Derivative/Addresses/DistinctStores.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

namespace {

/// Two executions that touch the same bytes overlap in every digit. A contradiction in one of them is the proof; until
/// there is one, digits show which counters are the same in both executions.
class Comparison {
public:
  /// Wanted: the counters that have to be the same. Without any, only a contradiction will do.
  Comparison(IndexForms &Forms, ArrayRef<unsigned> Wanted, bool MayAssume)
      : Forms(Forms), Wanted(Wanted), MayAssume(MayAssume) {}

  /// Elements by their indices.
  bool solve(ArrayRef<AccessForm> A, ArrayRef<AccessForm> B, LaunchConditions &Assumed) {
    std::vector<Digit> Digits;
    for (const auto &[OfA, OfB] : zip_equal(A, B))
      Digits.push_back({OfA, OfB});
    FactsOfA = A.front().Facts;
    FactsOfB = B.front().Facts;
    return solve(std::move(Digits), {}, 0, Assumed);
  }

  bool solve(const AccessForm &A, const AccessForm &B, LaunchConditions &Assumed) {
    std::vector<Digit> Digits;
    if (hasStrides(Forms, {A, B})) {
      for (const AccessForms &Index : indicesOf(Forms, {A, B}))
        Digits.push_back({Index[0], Index[1]});
    } else {
      Digits.push_back({A, B});
    }
    FactsOfA = A.Facts;
    FactsOfB = B.Facts;
    return solve(std::move(Digits), {}, 0, Assumed);
  }

private:
  struct Digit {
    AccessForm A, B;
  };
  using Counters = std::set<unsigned>;

  /// Counters that may be different in both executions.
  Counters freeCounters(const Polynomial &P, const Counters &Same) const {
    Counters Found;
    for (const auto &[M, C] : P.terms())
      for (unsigned Atom : M)
        if (Forms.meaning(Atom).Kind == AtomMeaning::Counter && !Same.contains(Atom))
          Found.insert(Atom);
    return Found;
  }

  /// Without what is added to both. What is left begins at zero, as far as that is known.
  Digit withoutCommonStart(const Digit &D, const Counters &Same) const {
    Digit Result = D;
    auto AddToBoth = [&](const Monomial &M, int64_t C) {
      Result.A.Offset.add(M, C);
      Result.B.Offset.add(M, C);
    };
    for (const auto &[M, C] : D.A.Offset.terms()) {
      auto Other = D.B.Offset.terms().find(M);
      Polynomial Term;
      Term.add(M, C);
      if (!M.empty() && Other != D.B.Offset.terms().end() && Other->second == C && freeCounters(Term, Same).empty())
        AddToBoth(M, -C);
    }
    AddToBoth({}, -std::min(D.A.Offset.constantTerm(), D.B.Offset.constantTerm()));
    // Downwards, from the last iteration on.
    for (const auto &[M, C] : Polynomial::Terms(Result.A.Offset.terms()))
      for (unsigned Counter : freeCounters(Result.A.Offset, Same))
        if (C < 0 && divide(M, {Counter}))
          for (const Polynomial &Bound : Forms.boundsOf(Counter))
            if (Polynomial Shift = Bound.scaled(*divide(M, {Counter}), -C); freeCounters(Shift, Same).empty())
              for (const auto &[N, K] : Shift.terms())
                AddToBoth(N, K);
    return Result;
  }

  /// P >= 0, for executions of the access that knows the facts.
  bool isNeverNegative(const Polynomial &P, ArrayRef<Fact> Facts, LaunchConditions &Assumed) {
    // A distance that may have either sign must not be assumed to have one of them.
    bool IsPlain = all_of(P.terms(), [](const auto &Term) { return Term.first.empty() || Term.second > 0; });
    return Forms.isNeverNegative(P, Facts, Assumed, MayAssume && IsPlain);
  }

  /// Whether Distance is at least Size or at most -Size.
  bool isFar(const Polynomial &Distance, int64_t Size, ArrayRef<Fact> Facts, LaunchConditions &Assumed) {
    if (Distance.isConstant())
      return std::abs(Distance.constantTerm()) >= Size;
    Polynomial Least = Polynomial::constant(Size);
    return isNeverNegative(Distance - Least, Facts, Assumed) ||
           isNeverNegative(Distance.scaled({}, -1) - Least, Facts, Assumed);
  }

  /// Whether A and B are far from each other, whichever iterations they are in.
  bool areApart(const Digit &D, const Counters &Same, LaunchConditions &Assumed) {
    // What is known of an iteration holds for the counters of that iteration only.
    SmallVector<Fact, 16> Facts(D.A.Facts);
    for (const Fact &F : D.B.Facts) {
      Polynomial Form = Forms.inOtherExecution(F.Form, Same);
      if (none_of(Facts, [&](const Fact &Known) { return Known.Form == Form; }))
        Facts.push_back({Form, F.Assumed});
    }
    return isFar(D.A.Offset - Forms.inOtherExecution(D.B.Offset, Same), D.A.Size, Facts, Assumed);
  }

  /// Multiples of one number, and a rest that keeps them apart.
  static bool areInterleaved(const Polynomial &A, const Polynomial &B, int64_t Size) {
    int64_t Common = 0;
    for (const Polynomial *P : {&A, &B})
      for (const auto &[M, C] : P->terms())
        if (!M.empty())
          Common = std::gcd(Common, C);
    if (!Common)
      return false;
    int64_t Rest = (A.constantTerm() - B.constantTerm()) % Common;
    Rest = Rest < 0 ? Rest + Common : Rest;
    return Rest >= Size && Common - Rest >= Size;
  }

  /// `factor * counter` on both sides, with a factor that is no less than the size: the counter is the same.
  std::optional<unsigned> sameCounter(const Digit &D, const Counters &Free, LaunchConditions &Assumed) {
    if (Free.size() != 1 || !(D.A.Offset == D.B.Offset))
      return std::nullopt;
    unsigned Counter = *Free.begin();
    Polynomial Factor;
    for (const auto &[M, C] : D.A.Offset.terms()) {
      std::optional<Monomial> Others = divide(M, {Counter});
      if (!Others || is_contained(*Others, Counter))
        return std::nullopt;
      Factor.add(*Others, C);
    }
    if (!isFar(Factor, D.A.Size, D.A.Facts, Assumed))
      return std::nullopt;
    return Counter;
  }

  /// A number all of whose parts are the same is the same: one more digit.
  void addNumbers(std::vector<Digit> &Digits, const Counters &Same, LaunchConditions &Assumed) {
    for (const NumberOfParts &N : Forms.numbersOfParts()) {
      bool IsKnown = any_of(Digits, [&](const Digit &D) { return D.A.Offset == N.Number && D.B.Offset == N.Number; });
      if (IsKnown || freeCounters(N.Number, Same).empty() || N.Parts.empty() ||
          !all_of(ArrayRef(N.Parts).drop_back(), [&](unsigned Part) { return Same.contains(Part); }))
        continue;
      // Of a number that is below its last unit, the last part is zero: `i / width % height` if i < height * width.
      const Polynomial Room = N.Units.back() - Polynomial::constant(1) - N.Number;
      if (Same.contains(N.Parts.back()) ||
          (N.Parts.size() > 1 && Forms.isNeverNegative(Room, FactsOfA, Assumed, /*MayAssume=*/false) &&
           Forms.isNeverNegative(Room, FactsOfB, Assumed, /*MayAssume=*/false)))
        Digits.push_back({{N.Number, 1, FactsOfA}, {N.Number, 1, FactsOfB}});
    }
  }

  bool solve(std::vector<Digit> Digits, Counters Same, unsigned Depth, LaunchConditions &Assumed) {
    std::vector<Digit> Left;
    for (bool Changed = true; Changed;) {
      Changed = false;
      Left.clear();
      addNumbers(Digits, Same, Assumed);
      for (const Digit &Original : Digits) {
        Digit D = withoutCommonStart(Original, Same);
        const Polynomial &A = D.A.Offset, &B = D.B.Offset;
        if (A.isBroken() || B.isBroken())
          return false;
        Counters Free = freeCounters(A, Same), FreeOfB = freeCounters(B, Same);
        Free.insert(FreeOfB.begin(), FreeOfB.end());
        if (areInterleaved(A, B, D.A.Size) || areApart(D, Same, Assumed))
          return true;
        if (Free.empty())
          continue;
        if (std::optional<unsigned> Counter = sameCounter(D, Free, Assumed)) {
          Same.insert(*Counter);
          Changed = true;
        } else {
          Left.push_back(D);
          Left.push_back(Original);
        }
      }
    }
    if (!Wanted.empty() && all_of(Wanted, [&](unsigned Counter) { return Same.contains(Counter); }))
      return true;
    if (Depth == 6)
      return false;
    for (size_t K = 0; K < Left.size(); ++K)
      for (const AddressUnit &Unit : unitsOf(Forms, {Left[K].A, Left[K].B})) {
        if (++Tried > 400)
          return false;
        LaunchConditions Needed = Assumed;
        std::optional<AddressDigits> Parts = splitBy(Forms, {Left[K].A, Left[K].B}, Unit, Needed, MayAssume);
        if (!Parts)
          continue;
        // Of the two forms of this digit, the parts take the place of both.
        std::vector<Digit> Next = {{Parts->Quotients[0], Parts->Quotients[1]}, {Parts->Rests[0], Parts->Rests[1]}};
        for (size_t Other = 1; Other < Left.size(); Other += 2)
          if (Other / 2 != K / 2)
            Next.push_back(Left[Other]);
        if (solve(std::move(Next), Same, Depth + 1, Needed)) {
          Assumed = std::move(Needed);
          return true;
        }
      }
    return false;
  }

  IndexForms &Forms;
  ArrayRef<unsigned> Wanted;
  bool MayAssume;
  ArrayRef<Fact> FactsOfA, FactsOfB;
  unsigned Tried = 0;
};

template <class... Accesses>
bool compare(IndexForms &Forms, ArrayRef<unsigned> Wanted, LaunchConditions &Assumed, const Accesses &...Compared) {
  using Questions = IndexForms::Questions;
  // First without asking anything of the launch, then as little as possible.
  for (auto [MayAssume, Asked] : {std::pair(false, Questions::Any), {true, Questions::Plain}, {true, Questions::Any}}) {
    LaunchConditions Needed = Assumed;
    Forms.limitQuestions(Asked);
    const bool IsShown = Comparison(Forms, Wanted, MayAssume).solve(Compared..., Needed);
    Forms.limitQuestions(Questions::Any);
    if (!IsShown)
      continue;
    Assumed = std::move(Needed);
    return true;
  }
  return false;
}

} // namespace

/// The counter of a loop in a form, or in a number that the form has a part of.
static std::optional<unsigned> counterIn(const IndexForms &Forms, ArrayRef<AccessForm> All, const Loop *L) {
  std::optional<unsigned> Counter;
  auto Look = [&](const Polynomial &P) {
    for (const auto &[M, C] : P.terms())
      for (unsigned Atom : M)
        if (const AtomMeaning &Meaning = Forms.meaning(Atom);
            Meaning.Kind == AtomMeaning::Counter && !Meaning.IsPart && Meaning.L == L)
          Counter = Atom;
  };
  for (const AccessForm &A : All) {
    for (const NumberOfParts &N : Forms.numbersOfParts())
      if (any_of(N.Parts, [&](unsigned Part) { return A.Offset.contains(Part); }))
        Look(N.Number);
    Look(A.Offset);
  }
  return Counter;
}

/// The counters of all these loops. Nothing: one of them moves none of the forms.
static std::optional<SmallVector<unsigned, 4>> countersIn(const IndexForms &Forms, ArrayRef<AccessForm> All,
                                                          ArrayRef<const Loop *> Loops) {
  SmallVector<unsigned, 4> Counters;
  for (const Loop *L : Loops) {
    std::optional<unsigned> Counter = counterIn(Forms, All, L);
    if (!Counter)
      return std::nullopt;
    Counters.push_back(*Counter);
  }
  return Counters;
}

bool kernix::differInIterations(IndexForms &Forms, const AccessForm &A, ArrayRef<const Loop *> Loops,
                                LaunchConditions &Assumed) {
  std::optional<SmallVector<unsigned, 4>> Counters = countersIn(Forms, A, Loops);
  return Counters && compare(Forms, *Counters, Assumed, A, A);
}

bool kernix::differInIterations(IndexForms &Forms, ArrayRef<AccessForm> Indices, ArrayRef<const Loop *> Loops,
                                LaunchConditions &Assumed) {
  std::optional<SmallVector<unsigned, 4>> Counters = countersIn(Forms, Indices, Loops);
  return Counters && compare(Forms, *Counters, Assumed, Indices, Indices);
}

bool kernix::neverMeet(IndexForms &Forms, const AccessForm &A, const AccessForm &B, LaunchConditions &Assumed) {
  return A.Size == B.Size && compare(Forms, {}, Assumed, A, B);
}

bool kernix::neverMeet(IndexForms &Forms, ArrayRef<AccessForm> A, ArrayRef<AccessForm> B, LaunchConditions &Assumed) {
  return !A.empty() && compare(Forms, {}, Assumed, A, B);
}
