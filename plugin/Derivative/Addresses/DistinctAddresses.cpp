//===- DistinctAddresses.cpp - proofs that no two threads touch the same bytes ----------------------------------===//

#include "Derivative/Addresses/DistinctAddresses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace kernix;

namespace {

using Accesses = AccessForms;

unsigned bitOf(const IndexForms &Forms, unsigned IdOrDigit) {
  return 1U << (find(Forms.idsAndDigits(), IdOrDigit) - Forms.idsAndDigits().begin());
}

class Search {
public:
  Search(IndexForms &Forms, DistinctProof &Proof, int64_t LeastRow, bool MayAssume, bool OfIterations)
      : Forms(Forms), Proof(Proof), LeastRow(LeastRow), MayAssume(MayAssume), OfIterations(OfIterations) {}

  void solve(const Accesses &Given, unsigned Depth = 0) {
    if (!hasIds(Given) || Depth > 8)
      return;
    Accesses All = withoutCommonStart(Given);
    if (splitByStrides(All, Depth) || isOneId(All))
      return;
    // The largest units first: rows before columns.
    SmallVector<AddressUnit, 8> Units = unitsOf(Forms, All, LeastRow);
    for (bool Assuming : {false, true})
      for (const AddressUnit &Unit : Units)
        if (Assuming <= MayAssume && split(All, Unit, Assuming, Depth))
          return;
  }

private:
  bool isCounter(unsigned Atom) const { return Forms.meaning(Atom).Kind == AtomMeaning::Counter; }
  bool isId(unsigned Atom) const {
    return is_contained(Forms.idsAndDigits(), Atom) || (OfIterations && isCounter(Atom));
  }

  bool hasIds(const Accesses &All) const {
    return any_of(All, [&](const AccessForm &A) {
      return any_of(A.Offset.terms(),
                    [&](const auto &Term) { return any_of(Term.first, [&](unsigned Atom) { return isId(Atom); }); });
    });
  }

  /// What is added to all offsets, the same for all threads, makes no difference.
  Accesses withoutCommonStart(const Accesses &All) const {
    Accesses Result = All;
    for (const auto &[M, C] : All.front().Offset.terms()) {
      bool IsCommon =
          none_of(M, [&](unsigned Atom) { return Forms.isVariable(Atom); }) && all_of(All, [&](const AccessForm &A) {
            auto Found = A.Offset.terms().find(M);
            return Found != A.Offset.terms().end() && Found->second == C;
          });
      for (AccessForm &A : Result)
        if (IsCommon)
          A.Offset.add(M, -C);
    }
    return Result;
  }

  bool splitByStrides(const Accesses &All, unsigned Depth) {
    if (!hasStrides(Forms, All))
      return false;
    for (const Accesses &Index : indicesOf(Forms, All))
      solve(Index, Depth + 1);
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
        if (M.size() != 1 || !isId(M[0]) || (Id != ~0U && Id != M[0]))
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
    if (isCounter(Id))
      Proof.Iterations.insert(Forms.meaning(Id).L);
    else
      Proof.Ids |= bitOf(Forms, Id);
    return true;
  }

  bool split(const Accesses &All, const AddressUnit &Unit, bool Assuming, unsigned Depth) {
    std::optional<AddressDigits> Digits = splitBy(Forms, All, Unit, Proof.Assumed, Assuming);
    if (!Digits)
      return false;
    solve(Digits->Quotients, Depth + 1);
    solve(Digits->Rests, Depth + 1);
    return true;
  }

  IndexForms &Forms;
  DistinctProof &Proof;
  int64_t LeastRow;
  bool MayAssume, OfIterations;
};

/// `threadIdx.x == 0` at all accesses: only one value of the id gets there.
unsigned fixedIds(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  auto IsAtMost = [](const AccessForm &A, const Polynomial &Form) {
    return any_of(A.Facts, [&](const Fact &F) { return F.Form == Form; });
  };
  unsigned Ids = 0;
  for (const Fact &F : All.front().Facts)
    for (unsigned Id : Forms.idsAndDigits()) {
      bool IsOnlyVariable = F.Form.contains(Id) && all_of(F.Form.terms(), [&](const auto &Term) {
                              return Term.first == Monomial{Id} ||
                                     none_of(Term.first, [&](unsigned Atom) { return Forms.isVariable(Atom); });
                            });
      Polynomial Opposite = F.Form.scaled({}, -1);
      if (IsOnlyVariable &&
          all_of(All, [&](const AccessForm &A) { return IsAtMost(A, F.Form) && IsAtMost(A, Opposite); }))
        Ids |= bitOf(Forms, Id);
    }
  return Ids;
}

} // namespace

DistinctProof kernix::distinguish(IndexForms &Forms, ArrayRef<AccessForm> All, int64_t LeastRow, bool OfIterations) {
  DistinctProof Best;
  // First without asking anything of the launch, then with.
  for (bool MayAssume : {false, true}) {
    DistinctProof Proof;
    Search(Forms, Proof, LeastRow, MayAssume, OfIterations).solve(Accesses(All.begin(), All.end()));
    if (unsigned Fixed = All.empty() ? 0 : fixedIds(Forms, All)) {
      Proof.Ids |= Fixed;
      for (const AccessForm &A : All)
        for (const Fact &F : A.Facts)
          Proof.Assumed.insert(F.Assumed.begin(), F.Assumed.end());
    }
    Proof.Ids = Forms.withWholeIds(Proof.Ids);
    if ((Best.Ids != Proof.Ids && (Best.Ids & ~Proof.Ids) == 0) || Proof.Iterations.size() > Best.Iterations.size())
      Best = std::move(Proof);
  }
  return Best;
}

std::optional<LaunchConditions> kernix::apartInBlock(IndexForms &Forms, ArrayRef<AccessForm> Accesses,
                                                     unsigned UsedIds) {
  DistinctProof Proof = distinguish(Forms, Accesses);
  for (unsigned Id = 0; Id < 3; ++Id) {
    if (Proof.Ids & (1U << Id))
      continue;
    if (UsedIds & (1U << Id))
      return std::nullopt;
    Proof.Assumed.insert(Polynomial::constant(1) - Polynomial::atom(FirstExtent + Id));
  }
  return std::move(Proof.Assumed);
}
