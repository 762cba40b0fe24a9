//===- DistinctAddresses.cpp - proofs that no two threads touch the same bytes ----------------------------------===//

#include "Derivative/DistinctAddresses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

namespace {

using Accesses = SmallVector<AccessForm, 8>;

class Search {
public:
  Search(IndexForms &Forms, DistinctProof &Proof, bool MayAssume) : Forms(Forms), Proof(Proof), MayAssume(MayAssume) {}

  void solve(const Accesses &Given, unsigned Depth = 0) {
    if (!hasIds(Given) || Depth > 8)
      return;
    Accesses All = withoutCommonStart(Given);
    if (splitByStrides(All, Depth) || isOneId(All))
      return;
    // The largest units first: rows before columns.
    SmallVector<std::pair<Monomial, int64_t>, 8> Units = units(All);
    for (bool Assuming : {false, true})
      for (const auto &[Factor, Coefficient] : Units)
        if (Assuming <= MayAssume && split(All, Factor, Coefficient, Assuming, Depth))
          return;
  }

private:
  using KindType = AtomMeaning::KindType;
  KindType kind(unsigned Atom) const { return Forms.meaning(Atom).Kind; }
  bool isVariable(unsigned Atom) const { return kind(Atom) == AtomMeaning::Id || kind(Atom) == AtomMeaning::Counter; }

  bool hasIds(const Accesses &All) const {
    return any_of(All, [&](const AccessForm &A) {
      return any_of(A.Offset.terms(), [&](const auto &Term) {
        return any_of(Term.first, [&](unsigned Atom) { return kind(Atom) == AtomMeaning::Id; });
      });
    });
  }

  /// The factors of a term that all threads share.
  Monomial sharedPart(const Monomial &M) const {
    Monomial Result;
    for (unsigned A : M)
      if (!isVariable(A))
        Result.push_back(A);
    return Result;
  }

  /// What is added to all offsets, the same for all threads, makes no difference.
  Accesses withoutCommonStart(const Accesses &All) const {
    Accesses Result = All;
    for (const auto &[M, C] : All.front().Offset.terms()) {
      bool IsCommon =
          none_of(M, [&](unsigned Atom) { return isVariable(Atom); }) && all_of(All, [&](const AccessForm &A) {
            auto Found = A.Offset.terms().find(M);
            return Found != A.Offset.terms().end() && Found->second == C;
          });
      for (AccessForm &A : Result)
        if (IsCommon)
          A.Offset.add(M, -C);
    }
    return Result;
  }

  /// Elements of a view that have different indices have different addresses: that is checked before the launch. So
  /// the indices are the digits.
  bool splitByStrides(const Accesses &All, unsigned Depth) {
    std::map<unsigned, Accesses> Digits;
    int64_t Unit = 0;
    for (const AccessForm &A : All)
      for (const auto &[M, C] : A.Offset.terms())
        for (unsigned Atom : M)
          if (kind(Atom) == AtomMeaning::Stride) {
            Digits[Atom] = {};
            Unit = std::gcd(Unit, C);
          }
    if (Digits.empty())
      return false;
    for (const AccessForm &A : All) {
      for (auto &[Stride, List] : Digits)
        List.push_back({Polynomial(), 1, A.Facts});
      for (const auto &[M, C] : A.Offset.terms()) {
        unsigned Strides = count_if(M, [&](unsigned Atom) { return kind(Atom) == AtomMeaning::Stride; });
        if (Strides == 0 && M.empty() && C >= 0 && C + A.Size <= Unit)
          continue; // a part of an element
        if (Strides != 1)
          return true; // nothing is known then
        unsigned Stride = *find_if(M, [&](unsigned Atom) { return kind(Atom) == AtomMeaning::Stride; });
        Digits[Stride].back().Offset.add(*divide(M, {Stride}), C / Unit);
      }
    }
    for (auto &[Stride, List] : Digits)
      solve(List, Depth + 1);
    return true;
  }

  /// `c * id + constant` everywhere, with constants that are closer to each other than c.
  bool isOneId(const Accesses &All) {
    unsigned Id = ~0U;
    int64_t Step = 0, Lowest = INT64_MAX, Highest = INT64_MIN;
    for (const AccessForm &A : All) {
      int64_t Own = 0;
      for (const auto &[M, C] : A.Offset.terms()) {
        if (M.empty())
          continue;
        if (M.size() != 1 || kind(M[0]) != AtomMeaning::Id || (Id != ~0U && Id != M[0]))
          return false;
        Id = M[0];
        Own = C;
      }
      if (!Own || (Step && Step != Own))
        return false;
      Step = Own;
      int64_t Start = A.Offset.constantTerm();
      Lowest = std::min(Lowest, Start);
      Highest = std::max(Highest, Start + A.Size);
    }
    if (Highest - Lowest > std::abs(Step))
      return false;
    Proof.Ids |= 1U << Id;
    return true;
  }

  SmallVector<std::pair<Monomial, int64_t>, 8> units(const Accesses &All) const {
    std::set<std::pair<Monomial, int64_t>> Found;
    std::set<Monomial> Shared;
    for (const AccessForm &A : All)
      for (const auto &[M, C] : A.Offset.terms()) {
        if (M.empty())
          continue;
        Monomial Part = sharedPart(M);
        Shared.insert(Part);
        Found.insert({Part, std::abs(C)});
      }
    for (const Monomial &Part : Shared) {
      int64_t Common = 0;
      for (const AccessForm &A : All)
        for (const auto &[M, C] : A.Offset.terms())
          if (!M.empty() && divide(M, Part))
            Common = std::gcd(Common, C);
      Found.insert({Part, Common});
    }
    SmallVector<std::pair<Monomial, int64_t>, 8> List(Found.begin(), Found.end());
    sort(List, [](const auto &A, const auto &B) {
      return A.first.size() != B.first.size() ? A.first.size() > B.first.size() : A.second > B.second;
    });
    if (List.size() > 12)
      List.resize(12);
    return List;
  }

  /// All offsets as Unit * q + r with 0 <= r and r + size <= Unit.
  bool split(const Accesses &All, const Monomial &Factor, int64_t Coefficient, bool Assuming, unsigned Depth) {
    if (Factor.empty() && Coefficient <= 1)
      return false;
    Accesses Quotients, Rests;
    bool IsSplit = false;
    for (const AccessForm &A : All) {
      Polynomial Quotient, Rest;
      for (const auto &[M, C] : A.Offset.terms()) {
        std::optional<Monomial> Others = divide(M, Factor);
        if (Others && C % Coefficient == 0 && !M.empty())
          Quotient.add(*Others, C / Coefficient);
        else
          Rest.add(M, C);
      }
      if (Factor.empty()) {
        // Constants belong to both.
        int64_t Whole = Rest.constantTerm() >= 0 ? Rest.constantTerm() / Coefficient : 0;
        Quotient.add({}, Whole);
        Rest.add({}, -Whole * Coefficient);
      }
      IsSplit |= !Quotient.isZero();
      Quotients.push_back({Quotient, 1, A.Facts});
      Rests.push_back({Rest, A.Size, A.Facts});
    }
    if (!IsSplit)
      return false;
    LaunchConditions Needed = Proof.Assumed;
    Polynomial Unit;
    Unit.add(Factor, Coefficient);
    for (const AccessForm &A : Rests)
      if (!Forms.isNeverNegative(A.Offset, A.Facts, Needed, Assuming) ||
          !Forms.isNeverNegative(Unit - A.Offset - Polynomial::constant(A.Size), A.Facts, Needed, Assuming))
        return false;
    Proof.Assumed = std::move(Needed);
    solve(Quotients, Depth + 1);
    solve(Rests, Depth + 1);
    return true;
  }

  IndexForms &Forms;
  DistinctProof &Proof;
  bool MayAssume;
};

/// `threadIdx.x == 0` at all accesses: only one value of the id gets there.
unsigned fixedIds(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  auto IsAtMost = [](const AccessForm &A, const Polynomial &Form) {
    return any_of(A.Facts, [&](const Fact &F) { return F.Form == Form; });
  };
  unsigned Ids = 0;
  for (const Fact &F : All.front().Facts)
    for (unsigned Id = 0; Id < FirstExtent; ++Id) {
      bool IsOnlyVariable = F.Form.contains(Id) && all_of(F.Form.terms(), [&](const auto &Term) {
                              return Term.first == Monomial{Id} || none_of(Term.first, [&](unsigned Atom) {
                                       return Forms.meaning(Atom).Kind == AtomMeaning::Id ||
                                              Forms.meaning(Atom).Kind == AtomMeaning::Counter;
                                     });
                            });
      Polynomial Opposite = F.Form.scaled({}, -1);
      if (IsOnlyVariable &&
          all_of(All, [&](const AccessForm &A) { return IsAtMost(A, F.Form) && IsAtMost(A, Opposite); }))
        Ids |= 1U << Id;
    }
  return Ids;
}

} // namespace

DistinctProof kernix::distinguish(IndexForms &Forms, ArrayRef<AccessForm> All) {
  DistinctProof Best;
  // First without asking anything of the launch, then with.
  for (bool MayAssume : {false, true}) {
    DistinctProof Proof;
    Search(Forms, Proof, MayAssume).solve(Accesses(All.begin(), All.end()));
    if (unsigned Fixed = All.empty() ? 0 : fixedIds(Forms, All)) {
      Proof.Ids |= Fixed;
      for (const AccessForm &A : All)
        for (const Fact &F : A.Facts)
          Proof.Assumed.insert(F.Assumed.begin(), F.Assumed.end());
    }
    if (Best.Ids != Proof.Ids && (Best.Ids & ~Proof.Ids) == 0)
      Best = std::move(Proof);
  }
  return Best;
}
