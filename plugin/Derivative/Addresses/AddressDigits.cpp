//===- AddressDigits.cpp - addresses taken apart like numbers into digits ---------------------------------------===//

#include "Derivative/Addresses/AddressDigits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

/// The factors of a term that threads and iterations share, and the others.
static std::pair<Monomial, Monomial> sharedAndVariable(const IndexForms &Forms, const Monomial &M) {
  std::pair<Monomial, Monomial> Parts;
  for (unsigned A : M)
    (Forms.isVariable(A) ? Parts.second : Parts.first).push_back(A);
  return Parts;
}

/// A polynomial of ids and counters: to each product of these, what it is multiplied by.
static std::map<Monomial, Polynomial> factorsOf(const IndexForms &Forms, const Polynomial &P) {
  std::map<Monomial, Polynomial> Factors;
  for (const auto &[M, C] : P.terms()) {
    auto [Shared, Variable] = sharedAndVariable(Forms, M);
    Factors[Variable].add(Shared, C);
  }
  return Factors;
}

/// `i * (2 * r + 1) + j`: what ids and counters are multiplied by, where that is a sum. The largest first.
static SmallVector<AddressUnit, 8> sumsOf(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  std::set<std::pair<size_t, Polynomial>> Found; // each behind its degree
  for (const AccessForm &A : All)
    for (const auto &[Variable, Factor] : factorsOf(Forms, A.Offset)) {
      if (Variable.empty() || Factor.terms().size() < 2 || Factor.isBroken())
        continue;
      size_t Degree = 0;
      for (const auto &[M, C] : Factor.terms())
        Degree = std::max(Degree, M.size());
      Found.insert({Degree, Factor.terms().rbegin()->second < 0 ? Factor.scaled({}, -1) : Factor});
    }
  SmallVector<AddressUnit, 8> List;
  for (const auto &[Degree, Factor] : reverse(Found))
    List.push_back({{}, 1, Factor});
  if (List.size() > 4)
    List.resize(4);
  return List;
}

SmallVector<AddressUnit, 8> kernix::unitsOf(const IndexForms &Forms, ArrayRef<AccessForm> All, int64_t LeastRow) {
  std::set<std::pair<Monomial, int64_t>> Found;
  std::set<Monomial> Shared;
  for (const AccessForm &A : All)
    for (const auto &[M, C] : A.Offset.terms()) {
      if (M.empty())
        continue;
      Monomial Part = sharedAndVariable(Forms, M).first;
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
  // `1024 * block + 256 * k + thread` of an unrolled loop: k is in the constants.
  int64_t Apart = 0, Size = 0;
  for (const AccessForm &A : All) {
    Apart = std::gcd(Apart, A.Offset.constantTerm() - All.front().Offset.constantTerm());
    Size = std::max(Size, A.Size);
  }
  if (Apart >= LeastRow * Size)
    Found.insert({Monomial(), Apart});
  SmallVector<AddressUnit, 8> List;
  for (const auto &[Factor, Coefficient] : Found)
    List.push_back({Factor, Coefficient});
  sort(List, [](const AddressUnit &A, const AddressUnit &B) {
    return A.Factor.size() != B.Factor.size() ? A.Factor.size() > B.Factor.size() : A.Coefficient > B.Coefficient;
  });
  if (List.size() > 12)
    List.resize(12);
  SmallVector<AddressUnit, 8> Units = sumsOf(Forms, All);
  Units.append(List.begin(), List.end());
  return Units;
}

std::optional<AddressDigits> kernix::splitBy(IndexForms &Forms, ArrayRef<AccessForm> All, const AddressUnit &Unit,
                                             LaunchConditions &Assumed, bool MayAssume) {
  const auto &[Factor, Coefficient, Sum] = Unit;
  if (!Sum && Factor.empty() && Coefficient <= 1)
    return std::nullopt;
  AddressDigits Digits;
  bool IsSplit = false;
  for (const AccessForm &A : All) {
    Polynomial Quotient, Rest;
    if (Sum)
      for (const auto &[Variable, Times] : factorsOf(Forms, A.Offset)) {
        std::optional<Polynomial> Whole = divide(Times, *Sum);
        (Whole ? Quotient : Rest) = (Whole ? Quotient + Whole->scaled(Variable, 1) : Rest + Times.scaled(Variable, 1));
      }
    for (const auto &[M, C] : Sum ? Polynomial::Terms() : A.Offset.terms()) {
      std::optional<Monomial> Others = divide(M, Factor);
      if (Others && C % Coefficient == 0 && !M.empty())
        Quotient.add(*Others, C / Coefficient);
      else
        Rest.add(M, C);
    }
    if (!Sum && Factor.empty()) {
      // Constants belong to both.
      int64_t Whole = Rest.constantTerm() >= 0 ? Rest.constantTerm() / Coefficient : 0;
      Quotient.add({}, Whole);
      Rest.add({}, -Whole * Coefficient);
    }
    IsSplit |= !Quotient.isZero();
    Digits.Quotients.push_back({Quotient, 1, A.Facts});
    Digits.Rests.push_back({Rest, A.Size, A.Facts});
  }
  if (!IsSplit)
    return std::nullopt;
  LaunchConditions Needed = Assumed;
  Polynomial Whole = Sum.value_or(Polynomial());
  if (!Sum)
    Whole.add(Factor, Coefficient);
  for (const AccessForm &A : Digits.Rests)
    if (!Forms.isNeverNegative(A.Offset, A.Facts, Needed, MayAssume) ||
        !Forms.isNeverNegative(Whole - A.Offset - Polynomial::constant(A.Size), A.Facts, Needed, MayAssume))
      return std::nullopt;
  Assumed = std::move(Needed);
  return Digits;
}

bool kernix::hasStrides(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  return any_of(All, [&](const AccessForm &A) {
    return any_of(A.Offset.terms(), [&](const auto &Term) {
      return any_of(Term.first, [&](unsigned Atom) { return Forms.isStride(Atom); });
    });
  });
}

std::vector<AccessForms> kernix::indicesOf(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  auto IsStride = [&](unsigned Atom) { return Forms.isStride(Atom); };
  std::map<unsigned, AccessForms> Indices;
  AccessForms Parts;
  int64_t Unit = 0;
  for (const AccessForm &A : All)
    for (const auto &[M, C] : A.Offset.terms())
      for (unsigned Atom : M)
        if (IsStride(Atom)) {
          Indices[Atom] = {};
          Unit = std::gcd(Unit, C);
        }
  for (const AccessForm &A : All) {
    for (auto &[Stride, List] : Indices)
      List.push_back({Polynomial(), 1, A.Facts});
    Parts.push_back({Polynomial(), A.Size, A.Facts});
    for (const auto &[M, C] : A.Offset.terms()) {
      auto Strides = count_if(M, IsStride);
      if (Strides == 0 && M.empty() && C >= 0 && C + A.Size <= Unit) {
        Parts.back().Offset.add(M, C);
        continue;
      }
      if (Strides != 1)
        return {}; // nothing is known then
      unsigned Stride = *find_if(M, IsStride);
      Indices[Stride].back().Offset.add(*divide(M, {Stride}), C / Unit);
    }
  }
  std::vector<AccessForms> Result;
  for (auto &[Stride, List] : Indices)
    Result.push_back(std::move(List));
  Result.push_back(std::move(Parts));
  return Result;
}
